#include "jobenv/agent/own_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <optional>

#include "jobenv/agent/nonce.hpp"
#include "jobenv/record/durable_file.hpp"
#include "jobenv/record/file_descriptor.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

/// Of one answer.
constexpr std::size_t kMostBytes = 1u << 20;

tl::unexpected<Error> failed(const std::string& what, const fs::path& path, const std::error_code& error) {
  return fail_errno(ExitCode::run_failed, "cannot " + what + " '" + path.string() + "'", error.value());
}

Expected<void> make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return failed("make the folder", folder, error);
  return {};
}

/// For a time under another name than its own.
fs::path temporary_for(const fs::path& path) {
  return path.parent_path() / ("." + path.filename().string() + "." + std::to_string(getpid()));
}

/// FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/
std::string id_of(const std::vector<remote::ProgramFile>& files) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const auto& file : files) {
    for (const char byte : file.name + '\n' + file.sha256 + '\n')
      hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Takes `size` bytes from `source` in any case. Returns the errno of the first failure; 0: none.
int copy_to(const FileDescriptor& file, std::istream& source, std::uint64_t size, int error) {
  std::array<char, 1 << 16> buffer{};
  while (size > 0) {
    const auto wanted = static_cast<std::streamsize>(std::min<std::uint64_t>(size, buffer.size()));
    if (!source.read(buffer.data(), wanted)) return ENODATA;
    if (error == 0) error = write_all(file.get(), {buffer.data(), static_cast<std::size_t>(wanted)});
    size -= static_cast<std::uint64_t>(wanted);
  }
  return error;
}

Expected<void> write_files(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [path, text] : files) {
    if (!stays_below(path)) return fail(ExitCode::run_failed, "'" + path + "' is no file of a run folder");
    if (auto made = make_folder((folder / path).parent_path()); !made) return made;
    if (auto saved = save_file(folder / path, text, Durability::visible); !saved) return saved;
  }
  return {};
}

}  // namespace

fs::path OwnFolder::content(const std::string& sha256) const {
  return root_ / "content" / sha256;
}

/// Of several hosts that make it at once in the same folder one has its way.
std::string OwnFolder::id() const {
  if (root_.empty()) return {};
  const fs::path file = root_ / "id";
  if (const auto known = load_file(file)) return *known;
  std::error_code ignored;
  fs::create_directories(root_, ignored);
  const fs::path own = temporary_for(file);
  const auto nonce = make_nonce();
  if (!nonce || !save_file(own, *nonce, Durability::visible)) return {};
  fs::create_hard_link(own, file, ignored);
  fs::remove(own, ignored);
  return load_file(file).value_or("");
}

Expected<remote::ProgramsReady> OwnFolder::ready(const remote::ReadyPrograms& request) const {
  remote::ProgramsReady answer;
  for (const auto& file : request.files) {
    if (!is_hash(file.sha256) || !stays_below(file.name))
      return fail(ExitCode::run_failed, "'" + file.name + "' is no file of a program");
    std::error_code error;
    const bool there = fs::file_size(content(file.sha256), error) == file.size && !error;
    if (!there) answer.missing.push_back(file.sha256);
  }
  if (!answer.missing.empty()) return answer;
  const fs::path folder = root_ / "programs" / id_of(request.files);
  std::error_code error;
  if (!fs::exists(folder, error)) {
    if (auto linked = link_programs(request, folder); !linked) return tl::unexpected(linked.error());
  }
  answer.folder = folder;
  return answer;
}

/// Another session may make the same folder at the same time: one of them is kept.
Expected<void> OwnFolder::link_programs(const remote::ReadyPrograms& request, const fs::path& folder) const {
  const fs::path incomplete = temporary_for(folder);
  for (const auto& file : request.files) {
    const fs::path name = incomplete / file.name;
    if (auto made = make_folder(name.parent_path()); !made) return made;
    std::error_code error;
    fs::create_hard_link(content(file.sha256), name, error);
    if (error) return failed("link", name, error);
  }
  std::error_code error, ignored;
  fs::rename(incomplete, folder, error);
  if (!error) return {};
  fs::remove_all(incomplete, ignored);
  if (!fs::exists(folder, ignored)) return failed("make the folder", folder, error);
  return {};
}

Expected<void> OwnFolder::keep(const remote::KeepContent& request, std::istream& source) const {
  if (!is_hash(request.sha256)) return fail(ExitCode::run_failed, "'" + request.sha256 + "' is no SHA-256");
  const fs::path path = content(request.sha256);
  const fs::path incomplete = temporary_for(path);
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);  // the open tells what is wrong
  FileDescriptor file(open(incomplete.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  int error = copy_to(file, source, request.size, file.is_open() ? 0 : errno);
  if (file.is_open() && error == 0 && fsync(file.get()) != 0) error = errno;
  if (file.is_open() && error == 0) error = file.close();
  if (error == 0 && rename(incomplete.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  fs::remove(incomplete, ignored);
  return fail_errno(ExitCode::run_failed, "cannot write '" + path.string() + "'", error);
}

Expected<fs::path> OwnFolder::write(const remote::WriteRun& request) const {
  if (!stays_below(request.run_id) || request.run_id.find('/') != std::string::npos)
    return fail(ExitCode::run_failed, "'" + request.run_id + "' is no name of a run");
  const RunFolder folder(root_ / "runs" / request.run_id);
  std::error_code error;
  if (!fs::exists(folder.root(), error)) {
    if (auto made = make_folder(folder.root().parent_path()); !made) return tl::unexpected(made.error());
    if (auto created = folder.create(Durability::visible); !created) return tl::unexpected(created.error());
  }
  std::map<std::string, std::string> files = request.files;
  for (const auto& [path, text] : request.history) {
    if (!fs::exists(folder.root() / path, error)) files.emplace(path, text);
  }
  if (auto written = write_files(folder.root(), files); !written) return tl::unexpected(written.error());
  return folder.root();
}

// ---- the way back

namespace {

/// How a file of a run folder changes.
enum class Growth { appended, replaced };

class RunReader {
 public:
  explicit RunReader(const remote::ReadRun& request) : request_(request), root_(request.run_dir) {}

  remote::RunRecords read() && {
    add_all("ledger", Growth::appended,
            [](const fs::path& path) { return path.filename().string().starts_with("head-"); });
    add("metrics.jsonl", Growth::appended);
    add_all("logs", Growth::appended, [](const fs::path&) { return true; });
    add_all("exit", Growth::replaced, [](const fs::path&) { return true; });
    add_all("attempts", Growth::replaced, [](const fs::path&) { return true; });
    add_all("checkpoints", Growth::replaced, [](const fs::path& path) {
      const std::string name = path.filename();
      return name == "LATEST" || name == "BEST" || name == "manifest.json" || name == "state.json";
    });
    return std::move(records_);
  }

 private:
  template <class Fits>
  void add_all(const char* folder, Growth growth, Fits fits) {
    std::error_code error;
    fs::recursive_directory_iterator entry(root_ / folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      const bool hidden = entry->path().filename().string().starts_with('.');
      std::error_code ignored;
      if (!hidden && entry->is_regular_file(ignored) && fits(entry->path()))
        add(entry->path().lexically_relative(root_), growth);
    }
  }

  void add(const std::string& path, Growth growth) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(root_ / path, error);
    const auto known = request_.have.find(path);
    const std::uint64_t had = known == request_.have.end() ? 0 : known->second;
    // Another name of a checkpoint may be as long as the last one.
    const bool same = size == had && (growth == Growth::appended || size > kLongestName);
    if (error || (same && known != request_.have.end())) return;
    add_pieces(path, growth == Growth::appended && size >= had ? had : 0, size);
  }

  void add_pieces(const std::string& path, std::uint64_t offset, std::uint64_t size) {
    do {
      if (bytes_ >= kMostBytes) {
        records_.more = true;
        return;
      }
      records_.pieces.push_back(load_piece(root_, path, offset));
      const std::size_t loaded = records_.pieces.back().bytes.size();
      bytes_ += loaded + 1;
      offset += loaded;
      if (loaded == 0) return;
    } while (offset < size);
  }

  static constexpr std::uint64_t kLongestName = 256;

  const remote::ReadRun& request_;
  fs::path root_;
  remote::RunRecords records_;
  std::size_t bytes_ = 0;
};

}  // namespace

Expected<remote::RunRecords> read_run(const remote::ReadRun& request) {
  std::error_code error;
  if (!fs::is_directory(request.run_dir, error))
    return fail(ExitCode::run_failed, "there is no run folder '" + request.run_dir + "'");
  return RunReader(request).read();
}

}  // namespace ddp::agent
