#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddp::cli {

/// What a terminal can show.
enum class Charset { ascii, utf8 };

/// `text` without control characters, bytes that are no UTF-8, and what the charset lacks: a '?' stands in
/// the place of each. Sequences that set colours are left out; tabs and line ends become a blank each.
[[nodiscard]] std::string make_showable(std::string_view text, Charset charset);

/// `text` as it may be printed to a terminal, though others may have written parts of it: file names, a git
/// branch, a checkpoint, the words of a program. What would control the terminal is written out, as \x1b;
/// line ends, also those of DOS, and tabs stay.
[[nodiscard]] std::string neutralize(std::string_view text);

/// Lines that a rank has printed, as they may be printed to a terminal: with their colours and what progress
/// bars need (carriage return, backspace, tab; erase in the line, cursor up and down and to a column), and
/// without all else that would control the terminal. A colour ends with its line: the next one may be of
/// another rank, or of this program. What is no UTF-8 stays.
[[nodiscard]] std::string keep_line_controls(std::string_view lines);

/// How many columns a text takes that make_showable has made. Asks the locale of the process.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// The showable form of `text`, at most so many columns wide; where something is cut off, the last of them
/// says so.
[[nodiscard]] std::string fit_columns(std::string_view text, std::size_t columns, Charset charset);

}  // namespace ddp::cli
