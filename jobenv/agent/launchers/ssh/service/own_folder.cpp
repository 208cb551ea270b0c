#include "jobenv/agent/launchers/ssh/service/own_folder.hpp"

#include <unistd.h>

#include <map>
#include <system_error>

#include "jobenv/agent/connection/nonce.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_piece.hpp"
#include "jobenv/record/files/trusted_path.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivate = 0700;

/// One that is no link, either.
Expected<OwnPath> make_real_folder(const fs::path& folder, mode_t most = 0755) {
  auto made = make_own_folder(folder, most);
  if (made && made->path != folder)
    return fail(ExitCode::preflight_failed, "'" + folder.string() + "' is a link");
  return made;
}

/// Other processes may have them open for writing. They are copied again.
void drop_files(const fs::path& folder) {
  std::error_code error, ignored;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    fs::remove(entry->path(), ignored);
}

bool is_run_id(const std::string& text) {
  return stays_below(text) && text.find('/') == std::string::npos;
}

tl::unexpected<Error> refuse_run_id(const std::string& text) {
  return fail(ExitCode::run_failed, "'" + text + "' is not a valid name of a run");
}

Expected<void> write_files(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [path, text] : files) {
    if (!stays_below(path)) return fail(ExitCode::run_failed, "'" + path + "' is not a file of a run folder");
    const fs::path parent = (folder / path).parent_path();
    std::error_code error;
    fs::create_directories(parent, error);
    if (error)
      return fail_errno(ExitCode::run_failed, "cannot create '" + parent.string() + "'", error.value());
    if (auto saved = save_file(folder / path, text, Durability::visible); !saved) return saved;
  }
  return {};
}

}  // namespace

Expected<OwnFolder> OwnFolder::open(const fs::path& folder) {
  if (folder.empty()) return OwnFolder(folder);
  const auto root = make_own_folder(folder);
  if (!root) return tl::unexpected(root.error());
  for (const std::string_view name : {"content", "programs", "runs"}) {
    const auto made = make_real_folder(root->path / name);
    if (!made) return tl::unexpected(made.error());
    if (name == "content" && (root->was_open || made->was_open)) drop_files(made->path);
  }
  return OwnFolder(root->path);
}

/// Of several hosts that make it at once in the same folder one has its way.
std::string OwnFolder::id() const {
  if (root_.empty()) return {};
  const fs::path file = root_ / "id";
  if (const auto known = load_file(file)) return *known;
  const fs::path own = root_ / (".id." + std::to_string(getpid()));
  const auto nonce = make_nonce();
  if (!nonce || !save_file(own, *nonce, Durability::visible)) return {};
  std::error_code ignored;
  fs::create_hard_link(own, file, ignored);
  fs::remove(own, ignored);
  return load_file(file).value_or("");
}

Expected<RunFolder> OwnFolder::find_run_folder(const std::string& run_id) const {
  if (!is_run_id(run_id)) return refuse_run_id(run_id);
  RunFolder folder(root_ / "runs" / run_id);
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(folder.root(), error))) return folder;
  return fail(ExitCode::not_found, "there is no run folder '" + folder.root().string() + "'");
}

Expected<RunFolder> OwnFolder::make_run_folder(const std::string& run_id) const {
  if (!is_run_id(run_id)) return refuse_run_id(run_id);
  RunFolder folder(root_ / "runs" / run_id);
  std::error_code error;
  const bool exists = fs::exists(fs::symlink_status(folder.root(), error));
  const auto made = exists ? make_real_folder(folder.root(), kPrivate).map([](const OwnPath&) {})
                           : folder.create(Durability::visible);
  if (!made) return tl::unexpected(made.error());
  return folder;
}

Expected<fs::path> OwnFolder::write(const remote::WriteRun& request) const {
  const auto folder = make_run_folder(request.run_id);
  if (!folder) return tl::unexpected(folder.error());
  std::error_code error;
  std::map<std::string, std::string> files = request.files;
  for (const auto& [path, text] : request.history) {
    if (!fs::exists(folder->root() / path, error)) files.emplace(path, text);
  }
  if (auto written = write_files(folder->root(), files); !written) return tl::unexpected(written.error());
  return folder->root();
}

}  // namespace ddp::agent
