#include "jobenv/record/ledger/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/regular_file.hpp"
#include "jobenv/record/ledger/ledger_damage.hpp"
#include "jobenv/record/ledger/ledger_lines.hpp"
#include "jobenv/record/ledger/sweep_ledger.hpp"

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

/// Up to the last end of a line. The errno, or 0.
int find_whole_size(int descriptor, off_t& whole) {
  std::array<char, 4096> buffer;
  whole = lseek(descriptor, 0, SEEK_END);
  while (whole > 0) {
    const off_t begin = std::max<off_t>(0, whole - static_cast<off_t>(buffer.size()));
    const ssize_t count = pread(descriptor, buffer.data(), static_cast<std::size_t>(whole - begin), begin);
    if (count <= 0) return count < 0 ? errno : 0;
    const auto end = std::string_view(buffer.data(), static_cast<std::size_t>(count)).rfind('\n');
    whole = end == std::string_view::npos ? begin : begin + static_cast<off_t>(end) + 1;
    if (end != std::string_view::npos) return 0;
  }
  return 0;
}

/// Cuts off what stands behind the last end of a line.
Expected<void> cut_torn_line(const std::filesystem::path& path, int reader, int writer) {
  off_t whole = 0;
  if (const int error = find_whole_size(reader, whole); error != 0) return refuse("cannot read", path, error);
  if (whole == lseek(reader, 0, SEEK_END) || ftruncate(writer, whole) == 0) return {};
  return refuse("cannot repair", path, errno);
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
  for (const auto& path : *paths) load_ledger_file(path, ranks, events);
  std::stable_sort(events.begin(), events.end(),
                   [](const LedgerEvent& a, const LedgerEvent& b) { return a.time < b.time; });
  recover_submission(folder, events);
  return events;
}

}  // namespace

Expected<LedgerWriter> LedgerWriter::open(const RunFolder& folder, const std::string& writer,
                                          Durability naming) {
  std::filesystem::path path = folder.ledger_of(writer);
  const auto earlier = open_regular_file(path);
  if (!earlier && earlier.error().code != ExitCode::not_found) return tl::unexpected(earlier.error());
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!file.is_open()) return refuse("cannot open", path, errno);
  if (earlier) {
    if (const auto mended = cut_torn_line(path, earlier->descriptor.get(), file.get()); !mended)
      return tl::unexpected(mended.error());
  }
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
    return fail(ExitCode::run_failed, "the fields of " + std::string(event) +
                                          " are not a JSON object, or contain its time or name");
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

Expected<void> LedgerWriter::sync() {
  if (fsync(file_.get()) == 0) return {};
  return refuse("cannot sync", path_, errno);
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
