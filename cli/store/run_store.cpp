#include "cli/store/run_store.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "cli/store/run_id.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/lenient_fields.hpp"
#include "jobenv/record/fields/timestamp.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/trusted_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kSchema = "ddpsubmit.pointer.v1";

nlohmann::json to_json(const RunPointer& pointer) {
  return {{"schema", kSchema},
          {"run_id", pointer.run_id},
          {"name", pointer.name},
          {"run_dir", pointer.run_dir},
          {"launcher", pointer.launcher},
          {"job_id", pointer.job_id},
          {"created", render_time(pointer.created)}};
}

std::optional<RunPointer> parse_pointer(const std::string& text) {
  const auto json = parse_json(text);
  if (!json.is_object()) return std::nullopt;
  const auto created = parse_time(text_of(json, "created"));
  if (text_of(json, "schema") != kSchema || text_of(json, "run_id").empty() || !created) return std::nullopt;
  return RunPointer{.run_id = text_of(json, "run_id"),
                    .name = text_of(json, "name"),
                    .run_dir = text_of(json, "run_dir"),
                    .launcher = text_of(json, "launcher"),
                    .job_id = text_of(json, "job_id"),
                    .created = *created};
}

template <class Predicate>
const RunPointer* find_first(const std::vector<RunPointer>& runs, Predicate matches) {
  const auto found = std::ranges::find_if(runs, matches);
  return found == runs.end() ? nullptr : &*found;
}

std::string suggest_run(const std::vector<RunPointer>& runs, const std::string& word) {
  if (runs.empty()) return "there are no runs yet; start one: ddpsubmit run CONFIG";
  std::set<std::string> words{"last"};
  for (const auto& run : runs) {
    words.insert(run.name);
    words.insert(run.run_id);
  }
  const auto near = suggest(word, std::vector<std::string>(words.begin(), words.end()));
  return near + (near.empty() ? "" : " ") + "'ddpsubmit list' shows all runs";
}

Expected<RunPointer> select_by_prefix(const std::vector<RunPointer>& runs, const std::string& prefix,
                                      Prefixes prefixes) {
  if (prefix.empty()) return fail(ExitCode::usage, "an empty word names no run");
  std::vector<std::string> ids;
  for (const auto& run : runs) {
    if (run.run_id.starts_with(prefix)) ids.push_back(run.run_id);
  }
  if (ids.size() == 1) {
    const auto& run = *find_first(runs, [&](const RunPointer& each) { return each.run_id == ids[0]; });
    const auto name = run.name.empty() ? name_in_run_id(run.run_id) : run.name;  // pointers may lack it
    if (prefixes == Prefixes::any || prefix.size() > name.size() + 1) return run;
    return fail(ExitCode::usage, "'" + prefix + "' is only the beginning of a name",
                "if run " + run.run_id + " is meant, give its id or its whole name");
  }
  if (ids.size() > 1) {
    ids.resize(std::min<std::size_t>(ids.size(), 5));
    return fail(ExitCode::not_found, "'" + prefix + "' matches several runs",
                "for example " + join_words(ids));
  }
  return fail(ExitCode::not_found, "no run '" + prefix + "'", suggest_run(runs, prefix));
}

}  // namespace

Expected<RunStore> RunStore::open(const EnvMap& environment) {
  if (const auto state = environment.get("XDG_STATE_HOME"); state && state->starts_with('/')) {
    return RunStore(fs::path(*state) / "ddpsubmit/runs");
  }
  if (const auto home = environment.get("HOME"); home && home->starts_with('/')) {
    return RunStore(fs::path(*home) / ".local/state/ddpsubmit/runs");
  }
  return fail(ExitCode::usage,
              "no folder for the list of runs: neither XDG_STATE_HOME nor HOME is an absolute path",
              "set HOME");
}

Expected<void> RunStore::create() const {
  const auto made =
      make_own_folder(folder_.parent_path()).and_then([&](const auto&) { return make_own_folder(folder_); });
  if (made) return {};
  return fail(made.error().code, made.error().message,
              "set XDG_STATE_HOME to a folder that nobody else can write to");
}

Expected<void> RunStore::save(const RunPointer& pointer, Durability durability) const {
  if (auto created = create(); !created) return created;
  return save_file(path_of(pointer.run_id), to_json(pointer).dump(2) + "\n", durability);
}

std::optional<RunPointer> RunStore::load(const std::string& run_id) const {
  const auto text = load_file(path_of(run_id));
  return text ? parse_pointer(*text) : std::nullopt;
}

std::optional<std::chrono::system_clock::time_point> RunStore::created_at(const std::string& run_id) const {
  const auto pointer = load(run_id);
  return pointer ? std::optional(pointer->created) : std::nullopt;
}

void RunStore::remove(const std::string& run_id) const {
  std::error_code ignored;
  fs::remove(path_of(run_id), ignored);
}

Expected<std::vector<RunPointer>> RunStore::load_all() const {
  std::vector<RunPointer> runs;
  std::error_code error;
  if (fs::exists(folder_, error)) {
    if (auto own = create(); !own) return tl::unexpected(own.error());
  }
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".json") continue;
    const auto text = load_file(entry->path());
    if (auto pointer = text ? parse_pointer(*text) : std::nullopt) runs.push_back(std::move(*pointer));
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(ExitCode::run_failed, "cannot read '" + folder_.string() + "': " + error.message());
  }
  std::ranges::sort(runs, [](const RunPointer& a, const RunPointer& b) {
    return std::tie(b.created, b.run_id) < std::tie(a.created, a.run_id);
  });
  return runs;
}

std::vector<std::string> RunStore::list_ids() const {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".json") ids.push_back(entry->path().stem().string());
  }
  return ids;
}

Expected<RunPointer> RunStore::find(const std::string& selector) const {
  const auto runs = load_all();
  if (!runs) return tl::unexpected(runs.error());
  return select_run(*runs, selector);
}

Expected<RunPointer> select_run(const std::vector<RunPointer>& runs, const std::string& selector,
                                Prefixes prefixes) {
  if (selector == "last") {
    if (runs.empty())
      return fail(ExitCode::not_found, "there are no runs yet", "start one: ddpsubmit run CONFIG");
    return runs.front();
  }
  for (const auto field : {&RunPointer::run_id, &RunPointer::name, &RunPointer::job_id}) {
    const auto* run =
        find_first(runs, [&](const RunPointer& candidate) { return candidate.*field == selector; });
    if (run != nullptr && !selector.empty()) return *run;
  }
  return select_by_prefix(runs, selector, prefixes);
}

std::vector<RunPointer> select_namesakes(const std::vector<RunPointer>& runs, const std::string& selector) {
  std::vector<RunPointer> namesakes;
  const bool is_id = std::ranges::find(runs, selector, &RunPointer::run_id) != runs.end();
  if (selector == "last" || is_id) return namesakes;
  std::ranges::copy_if(runs, std::back_inserter(namesakes),
                       [&](const RunPointer& run) { return run.name == selector; });
  return namesakes;
}

}  // namespace ddp::cli
