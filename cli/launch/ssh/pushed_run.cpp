#include "cli/launch/ssh/pushed_run.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "jobenv/record/durable_file.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";

using Texts = std::map<std::string, std::string>;

/// Those files below `part` of the folder whose path fits; what cannot be read is left out.
template <class Fits>
void add_texts(const RunFolder& folder, const fs::path& part, Fits fits, Texts& texts) {
  std::error_code error;
  fs::recursive_directory_iterator entry(part, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with('.') || !entry->is_regular_file() || !fits(name)) continue;
    if (auto text = load_file(entry->path()))
      texts[entry->path().lexically_relative(folder.root())] = std::move(*text);
  }
}

/// What head writes; all else in the ledger is of ddpsubmit, on this machine.
bool is_of_head(const std::string& name) {
  return name.starts_with("head-");
}

bool is_of_ledger(const std::string& path) {
  return path.starts_with("ledger/");
}

std::map<std::string, std::uint64_t> sizes_in(const RunFolder& folder) {
  std::map<std::string, std::uint64_t> sizes;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder.root(), error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored))
      sizes[entry->path().lexically_relative(folder.root())] = entry->file_size(ignored);
  }
  return sizes;
}

bool is_record(const std::string& path) {
  constexpr std::array<std::string_view, 5> kFolders = {"ledger/head-", "logs/", "exit/", "attempts/",
                                                        "checkpoints/"};
  return path == "metrics.jsonl" ||
         std::ranges::any_of(kFolders, [&](std::string_view folder) { return path.starts_with(folder); });
}

Expected<void> save_all(const RunFolder& folder, const std::vector<FilePiece>& pieces) {
  for (const auto& piece : pieces) {
    if (!is_record(piece.path))
      return fail(ExitCode::run_failed, "'" + piece.path + "' is no record of a run");
    if (auto saved = save_piece(folder.root(), piece); !saved) return saved;
  }
  return {};
}

}  // namespace

std::string run_dir_on_host(const std::string& folder, const std::string& run_id) {
  return folder + "/runs/" + run_id;
}

LaunchPlan plan_for_host(const LaunchPlan& plan, const std::string& folder, const PushedAgent& agent,
                         const std::string& program_folder) {
  LaunchPlan own = plan;
  own.run_dir = own.work_dir = run_dir_on_host(folder, plan.run_id);
  own.agent = folder + "/programs/" + agent.sha256 + "/ddp-agent";
  if (program_folder.empty()) return own;
  own.argv = {program_folder + "/" + fs::path(plan.argv.front()).filename().string(), "--config",
              RunFolder(own.run_dir).spec()};
  const auto path = plan.set.find(kLibraryPath);
  own.set[kLibraryPath] = program_folder + "/lib" + (path == plan.set.end() ? "" : ":" + path->second);
  return own;
}

Expected<void> push_run(RemoteHost& host, const std::string& name, const LaunchPlan& plan,
                        const RunFolder& folder, RunPart part) {
  remote::WriteRun request{.run_id = plan.run_id, .files = {}, .history = {}};
  const auto spec = load_file(folder.spec());
  if (!spec) return tl::unexpected(spec.error());
  request.files["spec.yaml"] = *spec;
  request.files["plan.json"] = to_json(plan).dump(2) + "\n";
  if (auto secrets = load_file(folder.secrets())) request.files["secrets.json"] = std::move(*secrets);
  if (part == RunPart::head) {
    add_texts(folder, folder.ledger(), std::not_fn(is_of_head), request.files);
    add_texts(folder, folder.ledger(), is_of_head, request.history);
    add_texts(
        folder, folder.attempts(), [](const std::string&) { return true; }, request.history);
  }
  return ask_for<remote::RunWritten>(host, name, request).map([](const auto&) {});
}

Expected<void> push_cancels(RemoteHost& host, const std::string& name, const RunFolder& folder) {
  remote::WriteRun request{.run_id = folder.run_id(), .files = {}, .history = {}};
  add_texts(
      folder, folder.ledger(), [](const std::string& file) { return file.starts_with("cancel-"); },
      request.files);
  return ask_for<remote::RunWritten>(host, name, request).map([](const auto&) {});
}

Expected<void> fetch_records(RemoteHost& host, const std::string& name, const RunFolder& folder) {
  remote::ReadRun request{.run_dir = run_dir_on_host(host.greeting().folder, folder.run_id()),
                          .have = sizes_in(folder)};
  std::vector<FilePiece> ledger;
  for (bool more = true; more;) {
    auto records = ask_for<remote::RunRecords>(host, name, request);
    if (!records) return tl::unexpected(records.error());
    for (const auto& piece : records->pieces) request.have[piece.path] = piece.offset + piece.bytes.size();
    const auto end_of_ledger =
        std::ranges::stable_partition(records->pieces, is_of_ledger, &FilePiece::path).begin();
    std::move(records->pieces.begin(), end_of_ledger, std::back_inserter(ledger));
    records->pieces.erase(records->pieces.begin(), end_of_ledger);
    if (auto saved = save_all(folder, records->pieces); !saved) return saved;
    more = records->more;
  }
  return save_all(folder, ledger);
}

}  // namespace ddp::cli
