#include "jobenv/record/log_pattern.hpp"

#include <algorithm>

namespace ddp {
namespace {

constexpr std::string_view kLetters = "AajJNntux";
constexpr std::string_view kDigitsOfWidth = "0123456789";
constexpr std::size_t kMostDigits = 10;  // Slurm's

/// One part of a pattern.
struct Piece {
  std::string_view text;  ///< as it stands there
  char letter = 0;        ///< behind a percent sign; 0: it is plain text
  std::size_t width = 0;  ///< digits at least
};

/// Cuts the first part off.
Piece take_piece(std::string_view& pattern) {
  const bool plain = pattern.front() != '%';
  const auto width_end = plain ? 0 : std::min(pattern.find_first_not_of(kDigitsOfWidth, 1), pattern.size());
  const auto end =
      plain ? std::min(pattern.find('%'), pattern.size()) : std::min(width_end + 1, pattern.size());
  Piece piece{.text = pattern.substr(0, end)};
  if (!plain) {
    piece.letter = width_end < pattern.size() ? pattern[width_end] : '%';
    std::size_t width = 0;
    for (const char digit : piece.text.substr(1, width_end - 1))
      width = std::min(10 * width + static_cast<std::size_t>(digit - '0'), kMostDigits);
    piece.width = width;
  }
  pattern.remove_prefix(end);
  return piece;
}

bool is_all_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of(kDigitsOfWidth) == text.npos;
}

std::string fill_up(const std::string& value, std::size_t width) {
  if (!is_all_digits(value) || value.size() >= width) return value;
  return std::string(width - value.size(), '0') + value;
}

}  // namespace

Expected<std::string> parse_log_pattern(std::string_view pattern) {
  std::string letters;
  while (!pattern.empty()) {
    const auto piece = take_piece(pattern);
    if (piece.letter == 0 || piece.text == "%%") continue;
    if (kLetters.find(piece.letter) == kLetters.npos) {
      return fail(ExitCode::config_invalid, "'" + std::string(piece.text) + "' is not a known placeholder",
                  "the known ones are %A, %a, %j, %J, %N, %n, %t, %u and %x; a percent sign itself is %%");
    }
    letters += piece.letter;
  }
  return letters;
}

std::string expand_log_pattern(std::string_view pattern, const std::map<char, std::string>& values) {
  std::string name;
  while (!pattern.empty()) {
    const auto piece = take_piece(pattern);
    const auto value = values.find(piece.letter);
    if (piece.text == "%%") {
      name += '%';
    } else if (piece.letter != 0 && value != values.end()) {
      name += fill_up(value->second, piece.width);
    } else {
      name += piece.text;
    }
  }
  return name;
}

}  // namespace ddp
