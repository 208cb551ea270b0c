#include "jobenv/record/last_words.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "ddp/jobenv/terminal.hpp"

namespace ddp {
namespace {

constexpr std::size_t kLongestWords = 200;
constexpr std::string_view kTraceback = "Traceback (most recent call last):";
constexpr std::string_view kBlanks = " \t\r";

bool is_digit_character(char letter) {
  return letter >= '0' && letter <= '9';
}

/// How long the control character is that `text` begins with; those of C1 have two bytes. 0: it is none.
std::size_t length_of_control(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  return text.size() > 1 && byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0 ? 2 : 0;
}

/// With a blank for each control character but those at which lines end or begin anew.
std::string without_controls(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    std::size_t length = length_of_escape(text);
    if (length == 0 && text.front() != '\n' && text.front() != '\r') {
      length = length_of_control(text);
      if (length > 0) plain += ' ';
    }
    if (length == 0) plain += text[length++];
    text.remove_prefix(length);
  }
  return plain;
}

/// As a terminal shows it that a progress bar has written to.
std::string_view last_form(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(kBlanks) + 1);  // npos + 1 is 0
  return line.substr(line.rfind('\r') + 1);
}

/// PyTorch puts "[rank3]: " in front of the lines of a traceback, and "[rank3]:" in front of its log.
std::string_view without_rank(std::string_view line) {
  constexpr std::string_view kOpen = "[rank";
  constexpr std::string_view kClose = "]:";
  if (!line.starts_with(kOpen)) return line;
  const auto rest = line.substr(kOpen.size());
  const auto digits = std::ranges::find_if_not(rest, is_digit_character) - rest.begin();
  auto behind = rest.substr(static_cast<std::size_t>(digits));
  if (digits == 0 || !behind.starts_with(kClose)) return line;
  behind.remove_prefix(kClose.size());
  if (behind.starts_with(' ')) behind.remove_prefix(1);
  return behind;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = without_rank(last_form(text.substr(0, end)));
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "[W1127 10:11:12.123 ProcessGroupNCCL.cpp:1496] Warning: …", which PyTorch prints when a process ends.
bool is_log_of_pytorch(std::string_view line) {
  return (line.starts_with("[W") || line.starts_with("[I")) && line.size() > 2 && is_digit_character(line[2]);
}

/// The line above or below a banner.
bool is_rule(std::string_view line) {
  return line.find_first_not_of("-=*#_ ") == std::string_view::npos;
}

/// "[node1:00445] Delaying for 1 seconds before aborting", which ddp-agent has asked Open MPI for.
bool is_delay_of_open_mpi(std::string_view line) {
  return line.starts_with('[') && line.ends_with(" seconds before aborting");
}

bool tells_nothing(std::string_view line) {
  return is_log_of_pytorch(line) || is_rule(line) || is_delay_of_open_mpi(line);
}

std::optional<std::string_view> find_exception_in(const std::vector<std::string_view>& lines) {
  const auto traceback = std::find_if(lines.rbegin(), lines.rend(),
                                      [](std::string_view line) { return line.ends_with(kTraceback); });
  if (traceback == lines.rend()) return std::nullopt;
  const auto exception =
      std::find_if_not(traceback.base(), lines.end(), [](auto line) { return line.starts_with(' '); });
  return exception == lines.end() ? std::nullopt : std::optional(*exception);
}

/// "[rank 3] " and "error: ", as ddptrain begins what it fails with. Details and advice are indented below
/// it.
bool begins_message_of_trainer(std::string_view line) {
  constexpr std::string_view kOpen = "[rank ";
  if (line.starts_with("error: ")) return true;
  if (!line.starts_with(kOpen)) return false;
  const auto rest = line.substr(kOpen.size());
  const auto digits = std::ranges::find_if_not(rest, is_digit_character) - rest.begin();
  return digits > 0 && rest.substr(static_cast<std::size_t>(digits)).starts_with("] ");
}

std::optional<std::string_view> find_message_in(const std::vector<std::string_view>& lines) {
  const auto last = std::find_if_not(lines.rbegin(), lines.rend(), tells_nothing);
  if (last == lines.rend()) return std::nullopt;
  const auto first = std::find_if_not(last, lines.rend(), [](auto line) { return line.starts_with(' '); });
  return first != lines.rend() && begins_message_of_trainer(*first) ? *first : *last;
}

std::string cut_words(std::optional<std::string_view> line) {
  if (!line) return {};
  const auto words = line->substr(line->find_first_not_of(kBlanks));
  if (words.size() <= kLongestWords) return std::string(words);
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
  std::size_t end = kLongestWords;
  while (end > 0 && continues(words[end])) --end;
  return std::string(words.substr(0, end)) + "…";
}

}  // namespace

std::string find_exception(std::string_view stderr_tail) {
  const auto text = without_controls(stderr_tail);
  return cut_words(find_exception_in(lines_of(text)));
}

std::string find_last_words(std::string_view stderr_tail) {
  const auto text = without_controls(stderr_tail);
  const auto lines = lines_of(text);
  const auto exception = find_exception_in(lines);
  return cut_words(exception ? exception : find_message_in(lines));
}

}  // namespace ddp
