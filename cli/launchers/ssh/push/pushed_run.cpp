#include "cli/launchers/ssh/push/pushed_run.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>

#include "cli/launchers/ssh/push/pushed_program.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// Of a MiB each.
constexpr int kMostRounds = 16;

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
    const auto& path = entry->path();
    if (path == folder.source() || path == folder.output() ||
        path.filename() == ".fetch") {  // no host sends it
      entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_regular_file(ignored))
      sizes[entry->path().lexically_relative(folder.root())] = entry->file_size(ignored);
  }
  return sizes;
}

/// How a record changes: texts that are replaced as a whole are small.
enum class Growth { appended, replaced, none };

Growth growth_of(const std::string& path) {
  const auto is_in = [&](std::string_view folder) { return path.starts_with(folder); };
  if (path == "metrics.jsonl" || is_in("ledger/head-") || is_in("logs/")) return Growth::appended;
  return path == "live.json" || is_in("stacks/") || is_in("exit/") || is_in("attempts/") ||
                 is_in("checkpoints/")
             ? Growth::replaced
             : Growth::none;
}

/// A file that was begun anew is shorter than it was.
Expected<void> append(const RunFolder& folder, const FilePiece& piece) {
  std::error_code ignored;
  if (piece.offset == 0 && fs::exists(folder.root() / piece.path, ignored))
    fs::resize_file(folder.root() / piece.path, 0, ignored);
  return save_piece(folder.root(), piece);
}

Expected<void> replace(const RunFolder& folder, const FilePiece& piece) {
  std::error_code ignored;
  fs::create_directories((folder.root() / piece.path).parent_path(), ignored);
  return save_file(folder.root() / piece.path, piece.bytes, Durability::visible);
}

Expected<void> save_all(const RunFolder& folder, const std::vector<FilePiece>& pieces) {
  for (const auto& piece : pieces) {
    const auto growth = growth_of(piece.path);
    if (growth == Growth::none || !stays_below(piece.path))
      return fail(ExitCode::run_failed, "'" + piece.path + "' is not a file of a run folder");
    auto saved = growth == Growth::appended ? append(folder, piece) : replace(folder, piece);
    if (!saved) return saved;
  }
  return {};
}

/// Of several that look at a run at once, one after the other brings its records up to date.
FileDescriptor lock_records(const RunFolder& folder) {
  FileDescriptor file(open((folder.root() / ".fetch.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  while (file.is_open() && flock(file.get(), LOCK_EX) != 0 && errno == EINTR) continue;
  return file;
}

bool tell_end(const std::vector<FilePiece>& ledger) {
  const auto word = "\"" + std::string(event::RunEnded::kName) + "\"";
  return std::ranges::any_of(
      ledger, [&word](const FilePiece& piece) { return piece.bytes.find(word) != std::string::npos; });
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
  if (own.argv.front() == plan.agent) own.argv.front() = own.agent;  // the probe of doctor
  if (program_folder.empty()) return own;
  own.argv = {program_folder + "/" + fs::path(plan.argv.front()).filename().string(), "--config",
              RunFolder(own.run_dir).spec()};
  own.libraries = {.first = library_folders(program_folder), .spare = {}};
  return own;
}

Expected<void> push_run(RemoteHost& host, const std::string& name, const LaunchPlan& plan,
                        const std::string& spec, const RunFolder& folder, RunPart part) {
  remote::WriteRun request{.run_id = plan.run_id, .files = {}, .history = {}};
  request.files["spec.yaml"] = spec;
  request.files["plan.json"] = to_json(plan).dump(2) + "\n";
  if (auto secrets = load_file(folder.secrets())) request.files["secrets.json"] = std::move(*secrets);
  if (part == RunPart::head) {
    add_texts(folder, folder.ledger(), std::not_fn(is_of_head), request.files);
    add_texts(folder, folder.ledger(), is_of_head, request.history);
    const auto any = [](const std::string&) { return true; };
    add_texts(folder, folder.attempts(), any, request.history);
    add_texts(folder, folder.root() / "exit", any, request.history);
    if (auto metrics = load_file(folder.metrics())) request.history["metrics.jsonl"] = std::move(*metrics);
    if (auto log = load_file(folder.head_log())) request.history["logs/head.log"] = std::move(*log);
  }
  return ask_for<remote::RunWritten>(host, name, request).map([](const auto&) {});
}

void take_secrets_back(RemoteHost& host, const LaunchPlan& plan) {
  (void)host.ask(remote::WriteRun{.run_id = plan.run_id, .files = {{"secrets.json", "{}"}}, .history = {}});
}

Expected<void> push_cancels(RemoteHost& host, const std::string& name, const RunFolder& folder) {
  remote::WriteRun request{.run_id = folder.run_id(), .files = {}, .history = {}};
  add_texts(
      folder, folder.ledger(), [](const std::string& file) { return file.starts_with("cancel-"); },
      request.files);
  return ask_for<remote::RunWritten>(host, name, request).map([](const auto&) {});
}

Expected<void> fetch_records(RemoteHost& host, const std::string& name, const RunFolder& folder) {
  const FileDescriptor lock = lock_records(folder);
  remote::ReadRun request{.run_dir = run_dir_on_host(host.greeting().folder, folder.run_id()),
                          .have = sizes_in(folder)};
  std::vector<FilePiece> ledger;
  bool more = true;
  // While ranks print, there is always more; behind the end of the run there is not.
  for (int round = 0; more && (round < kMostRounds || tell_end(ledger)); ++round) {
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
