#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddp::cli {

/// A table of texts; they are escaped when it is rendered.
struct HtmlTable {
  std::string caption;                              ///< what it is about, for screen readers
  std::vector<std::string> head = {};               ///< of the columns
  std::vector<std::string> titles = {};             ///< longer texts of the heads, or none at all
  std::vector<std::vector<std::string>> rows = {};  ///< an empty cell is shown as a dash
  std::vector<std::size_t> numbers = {};            ///< columns of numbers, which are set to the right
  std::vector<std::size_t> one_line = {};           ///< columns whose cells are not broken into lines
  std::string_view look = {};                       ///< a class
};

/// Of a longer table the first ones are shown, and a sentence says how many there are.
inline constexpr std::size_t kMostTableRows = 200;

[[nodiscard]] std::string render_html(const HtmlTable& table);

/// The columns that have nothing but numbers, for HtmlTable::numbers.
[[nodiscard]] std::vector<std::size_t> columns_of_numbers(const HtmlTable& table);

/// A heading that can be opened, with `content`, which is HTML.
[[nodiscard]] std::string render_details(std::string_view heading, std::string_view content);

/// <section> with a heading; empty if `content`, which is HTML, is empty.
[[nodiscard]] std::string render_section(std::string_view id, std::string_view heading,
                                         std::string_view content);

}  // namespace ddp::cli
