#include "jobenv/record/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "jobenv/record/durable_file.hpp"
#include "jobenv/record/sweep_ledger.hpp"

namespace ddp {
namespace {

using nlohmann::json;

/// Of the times in the file.
constexpr std::chrono::milliseconds kTimeResolution{1};

tl::unexpected<Error> refuse(const std::string& what, const std::filesystem::path& path, int errno_value) {
  return fail_errno(ExitCode::run_failed, what + " " + path.string(), errno_value);
}

std::string render_event(std::chrono::system_clock::time_point time, std::string_view event,
                         const json& fields) {
  nlohmann::ordered_json line = {{"time", render_time(time)}, {"event", event}};
  for (const auto& [name, value] : fields.items()) line[name] = value;
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// Cuts off what stands behind the last end of a line.
Expected<void> cut_torn_line(const std::filesystem::path& path, int descriptor) {
  const auto text = load_file(path);
  if (!text) return tl::unexpected(text.error());
  const std::size_t whole = text->rfind('\n') + 1;  // npos + 1 is 0
  if (whole == text->size()) return {};
  if (ftruncate(descriptor, static_cast<off_t>(whole)) == 0) return {};
  return refuse("cannot mend", path, errno);
}

Expected<LedgerEvent> parse_event(std::string_view line) {
  const auto refuse_line = [] { return fail(ExitCode::run_failed, "it is not an event"); };
  json fields = json::parse(line, nullptr, false);
  if (!fields.is_object()) return refuse_line();
  const auto time = fields.find("time");
  const auto event = fields.find("event");
  if (time == fields.end() || event == fields.end() || !time->is_string() || !event->is_string())
    return refuse_line();
  const auto parsed_time = parse_time(time->get_ref<const std::string&>());
  if (!parsed_time) return tl::unexpected(parsed_time.error());
  LedgerEvent parsed{*parsed_time, event->get<std::string>(), {}};
  fields.erase("time");
  fields.erase("event");
  parsed.fields = std::move(fields);
  return parsed;
}

/// By the text alone: inside a JSON text a quote would be escaped.
bool is_of_rank(std::string_view line) {
  return line.find(R"("event":"rank_)") != std::string_view::npos;
}

Expected<void> load_writer(const std::filesystem::path& path, RankEvents ranks,
                           std::vector<LedgerEvent>& events) {
  const auto text = load_file(path);
  if (!text) return tl::unexpected(text.error());
  int line = 1;
  for (std::size_t begin = 0;; ++line) {
    const std::size_t end = text->find('\n', begin);
    if (end == std::string::npos) return {};
    const auto text_of_event = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    if (ranks == RankEvents::skip && is_of_rank(text_of_event)) continue;
    auto event = parse_event(text_of_event);
    if (!event) return tl::unexpected(event.error().context(path.string() + ":" + std::to_string(line)));
    events.push_back(std::move(*event));
  }
}

Expected<std::vector<std::filesystem::path>> list_writers(const RunFolder& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.ledger(), error), end; !error && entry != end;
       entry.increment(error)) {
    const auto& path = entry->path();
    if (path.extension() == ".jsonl" && !path.filename().string().starts_with('.')) paths.push_back(path);
  }
  if (error)
    return tl::unexpected(
        fail_errno(ExitCode::not_found, "cannot list " + folder.ledger().string(), error.value()).value());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Expected<std::vector<LedgerEvent>> load_own_ledger(const RunFolder& folder, RankEvents ranks) {
  const auto paths = list_writers(folder);
  if (!paths) return tl::unexpected(paths.error());
  std::vector<LedgerEvent> events;
  for (const auto& path : *paths) {
    if (const auto loaded = load_writer(path, ranks, events); !loaded) return tl::unexpected(loaded.error());
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const LedgerEvent& a, const LedgerEvent& b) { return a.time < b.time; });
  return events;
}

}  // namespace

Expected<LedgerWriter> LedgerWriter::open(const RunFolder& folder, const std::string& writer,
                                          Durability naming) {
  std::filesystem::path path = folder.ledger_of(writer);
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
  if (!file.is_open()) return refuse("cannot open", path, errno);
  if (const auto mended = cut_torn_line(path, file.get()); !mended) return tl::unexpected(mended.error());
  if (naming == Durability::synced) {
    if (const auto synced = sync_folder(folder.ledger()); !synced) return tl::unexpected(synced.error());
  }
  LedgerWriter opened(std::move(path), std::move(file));
  if (const auto events = load_ledger(folder, RankEvents::load); events && !events->empty())
    opened.last_ = events->back().time + kTimeResolution;
  return opened;
}

Expected<void> LedgerWriter::append(std::string_view event, const json& fields, Durability durability) {
  if (!fields.is_object() || fields.contains("time") || fields.contains("event")) {
    return fail(ExitCode::run_failed,
                "the fields of " + std::string(event) + " are no object, or replace its time or name");
  }
  const off_t size = lseek(file_.get(), 0, SEEK_END);
  if (size < 0) return refuse("cannot append to", path_, errno);
  last_ = std::max(last_, std::chrono::system_clock::now());
  int error = write_all(file_.get(), render_event(last_, event, fields));
  if (error == 0 && durability == Durability::synced && fsync(file_.get()) != 0) error = errno;
  if (error == 0) return {};
  if (ftruncate(file_.get(), size) != 0)
    file_ = FileDescriptor();  // a torn line inside the file would spoil it
  return refuse("cannot append to", path_, error);
}

Expected<std::vector<LedgerEvent>> load_ledger(const RunFolder& folder, RankEvents ranks) {
  auto own = load_own_ledger(folder, ranks);
  if (!own || !folder.point()) return own;
  const auto sweep = load_own_ledger(folder.sweep(), ranks);
  if (!sweep) return own;  // a folder that is only called like a point
  auto events = select_point_events(*sweep, *folder.point(), *own);
  const auto middle = static_cast<std::ptrdiff_t>(events.size());
  std::ranges::move(*own, std::back_inserter(events));
  std::inplace_merge(events.begin(), events.begin() + middle, events.end(),
                     [](const LedgerEvent& a, const LedgerEvent& b) { return a.time < b.time; });
  return events;
}

}  // namespace ddp
