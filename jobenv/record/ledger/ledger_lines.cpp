#include "jobenv/record/ledger/ledger_lines.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/events/events.hpp"
#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/timestamp.hpp"
#include "jobenv/record/files/line_reader.hpp"
#include "jobenv/record/files/regular_file.hpp"

namespace ddp {
namespace {

using nlohmann::json;
using std::chrono::system_clock;

/// How every line of a ledger begins. Inside a JSON text its quotes would be escaped.
constexpr std::string_view kBegin = R"({"time":")";

constexpr std::string_view kCancelWriter = "cancel-";

std::optional<LedgerEvent> parse_event(std::string_view line) {
  json fields = parse_json(line);
  if (!fields.is_object()) return std::nullopt;
  const auto time_text = fields.find("time");
  const auto event = fields.find("event");
  if (time_text == fields.end() || event == fields.end() || !time_text->is_string() || !event->is_string())
    return std::nullopt;
  const auto time = parse_time(time_text->get_ref<const std::string&>());
  auto name = event->get<std::string>();
  if (!time || name == event::DamagedLines::kName) return std::nullopt;
  fields.erase("time");
  fields.erase("event");
  return LedgerEvent{*time, std::move(name), std::move(fields)};
}

/// By the text alone. A line that another one has been written into is looked at.
bool is_of_rank(std::string_view line) {
  constexpr std::size_t kNearBegin = 64;
  static const std::string kRank = R"("event":")" + std::string(event::kRankEvents);
  return line.starts_with(kBegin) && line.ends_with('}') && line.rfind(kBegin) == 0 &&
         line.substr(0, kNearBegin).find(kRank) != line.npos;
}

/// What stands whole behind a torn line, or behind zeros that a crash has left in the place of one.
std::optional<LedgerEvent> salvage_event(std::string_view line) {
  const auto begin = line.rfind(kBegin);
  if (begin == line.npos || begin == 0) return std::nullopt;
  return parse_event(line.substr(begin));
}

/// The text of a field in the line of a submission that is torn behind it; empty: it is not there as a whole.
std::string find_text(std::string_view line, std::string_view field) {
  const auto key = "\"" + std::string(field) + "\":\"";
  const auto place = line.find(key);
  if (place == line.npos || line.find(event::SubmitIntent::kName) == line.npos) return {};
  const auto begin = place + key.size();
  const auto end = line.find('"', begin);
  return end == line.npos ? std::string() : std::string(line.substr(begin, end - begin));
}

/// Of "cancel-TOKEN-PID-MILLISECONDS", whatever has become of its line.
std::string token_of_name(std::string_view writer) {
  if (!writer.starts_with(kCancelWriter) || std::ranges::count(writer, '-') != 3) return {};
  writer.remove_prefix(kCancelWriter.size());
  return std::string(writer.substr(0, writer.find('-')));
}

/// Of the same name, or "cancel-PID-MILLISECONDS": when it was begun, by the clock of its writer. Of other
/// writers, and of what somebody has set to the future, the epoch.
system_clock::time_point begin_of_name(std::string_view writer) {
  if (!writer.starts_with(kCancelWriter)) return {};
  const std::chrono::milliseconds begin(parse_whole_number(writer.substr(writer.rfind('-') + 1)).value_or(0));
  const auto now = system_clock::now().time_since_epoch();
  return begin > std::chrono::duration_cast<std::chrono::milliseconds>(now) ? system_clock::time_point{}
                                                                            : system_clock::time_point(begin);
}

/// Takes the lines of one file one by one.
class LedgerFile {
 public:
  LedgerFile(const std::filesystem::path& path, std::vector<LedgerEvent>& events)
      : path_(path), events_(events) {}

  void add(std::string_view line, int number, bool cut) {
    auto event = cut ? std::nullopt : parse_event(line);
    if (!event) {
      add_damage(line, number);
      event = cut ? std::nullopt : salvage_event(line);
    }
    if (!event) return;
    last_ = event->time;
    end_damage(event->time);
    events_.push_back(std::move(*event));
  }

  /// What stands behind the last line: a line that is being written, or torn; but nobody writes zeros.
  void add_rest(std::string_view rest, int number) {
    if (rest.find('\0') != rest.npos) add_damage(rest, number);
  }

  /// Of the one line of a cancel nothing may be left. While its writer is at work, it is a cancel, too.
  void expect_event() {
    if (!damage_ && last_ == system_clock::time_point{}) add_damage({}, 1);
  }

  /// Of a file that cannot be read on.
  void give_up(const Error& error) {
    add_damage({}, 0);
    damage_->reason = error.message;
  }

  /// What stands last may be as young as the file.
  void finish() {
    if (!damage_) return;
    end_damage(std::max({modified(), last_, begin_of_name(path_.stem().string())}));
  }

 private:
  /// With what file systems may leave out of a second. What somebody has set to the future counts for
  /// nothing.
  [[nodiscard]] system_clock::time_point modified() const {
    const auto now = system_clock::now();
    struct stat status {};
    if (stat(path_.c_str(), &status) != 0) return now;
    const system_clock::time_point time(std::chrono::seconds(status.st_mtim.tv_sec) +
                                        std::chrono::nanoseconds(status.st_mtim.tv_nsec));
    return time > now ? now : time + std::chrono::seconds(1);
  }

  /// Lines that follow each other are one damage: there may be millions.
  void add_damage(std::string_view line, int number) {
    const std::string writer = path_.stem().string();
    if (!damage_)
      damage_ = event::DamagedLines{.writer = writer,
                                    .place = path_.string() + ":" + std::to_string(number),
                                    .after = last_,
                                    .token = token_of_name(writer)};
    ++damage_->lines;
    if (auto token = find_text(line, "token"); !token.empty()) damage_->token = std::move(token);
    if (auto launcher = find_text(line, "launcher"); !launcher.empty())
      damage_->launcher = std::move(launcher);
  }

  /// `time`: when it was written at the latest.
  void end_damage(system_clock::time_point time) {
    if (!damage_) return;
    events_.push_back(make_ledger_event(time, *damage_));
    damage_.reset();
  }

  const std::filesystem::path& path_;
  std::vector<LedgerEvent>& events_;
  std::optional<event::DamagedLines> damage_;
  system_clock::time_point last_{};
};

Expected<void> add_lines(const std::filesystem::path& path, RankEvents ranks, LedgerFile& ledger) {
  auto file = open_regular_file(path);
  if (!file && file.error().code == ExitCode::not_found) return {};  // since the folder was listed
  if (!file) return tl::unexpected(file.error());
  LineReader lines(std::move(*file));
  int number = 1;
  for (; const auto line = lines.next(); ++number) {
    if (ranks == RankEvents::load || !is_of_rank(*line)) ledger.add(*line, number, lines.was_cut());
  }
  ledger.add_rest(lines.rest(), number);
  if (path.filename().string().starts_with(kCancelWriter)) ledger.expect_event();
  if (lines.error() == 0) return {};
  return fail_errno(ExitCode::run_failed, "cannot read " + path.string(), lines.error());
}

}  // namespace

void load_ledger_file(const std::filesystem::path& path, RankEvents ranks, std::vector<LedgerEvent>& events) {
  LedgerFile ledger(path, events);
  if (const auto read = add_lines(path, ranks, ledger); !read) ledger.give_up(read.error());
  ledger.finish();
}

}  // namespace ddp
