#include "cli/report/page/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/text/escape.hpp"
#include "cli/report/text/number_text.hpp"

namespace ddp::cli {
namespace {

bool is_number_text(const std::string& text) {
  return text.find_first_not_of("0123456789.,-+e") == text.npos &&
         text.find_first_of("0123456789") != text.npos;
}

std::string render_title_attribute(const HtmlTable& table, std::size_t column, std::string_view tag) {
  if (tag != "th" || column >= table.titles.size() || table.titles[column].empty()) return {};
  return fmt::format(R"( title="{}")", escape_html(table.titles[column]));
}

std::string render_cell(const HtmlTable& table, std::size_t column, std::string_view tag,
                        const std::string& text) {
  const bool is_number = std::ranges::find(table.numbers, column) != table.numbers.end();
  const auto scope = tag != "th"                         ? ""
                     : column == 0 && table.head.empty() ? " scope=\"row\""
                                                         : " scope=\"col\"";
  const bool is_short = std::ranges::find(table.one_line, column) != table.one_line.end();
  return fmt::format("<{}{}{}{}>{}</{}>", tag, scope, render_title_attribute(table, column, tag),
                     is_number  ? " class=\"n\""
                     : is_short ? " class=\"short\""
                                : "",
                     text.empty() && tag == "td" ? "–" : escape_html(text), tag);
}

std::string render_row(const HtmlTable& table, std::string_view tag, const std::vector<std::string>& cells) {
  std::string text = "<tr>";
  for (std::size_t column = 0; column < cells.size(); ++column)
    text += render_cell(table, column, table.head.empty() && column == 0 ? "th" : tag, cells[column]);
  return text + "</tr>";
}

}  // namespace

std::string render_html(const HtmlTable& table) {
  if (table.rows.empty()) return {};
  std::string text = fmt::format(
      R"(<div class="scroll" tabindex="0" role="region" aria-label="{0}"><table class="{1}"><caption>{0}</caption>)",
      escape_html(table.caption), table.look);
  if (!table.head.empty()) text += "<thead>" + render_row(table, "th", table.head) + "</thead>";
  text += "<tbody>";
  const auto shown = std::min(table.rows.size(), kMostTableRows);
  for (std::size_t row = 0; row < shown; ++row) text += render_row(table, "td", table.rows[row]);
  text += "</tbody></table></div>";
  if (shown < table.rows.size())
    text += fmt::format("<p class=\"note\">These are the first {} of {} rows.</p>", shown,
                        render_integer(static_cast<std::int64_t>(table.rows.size())));
  return text;
}

std::vector<std::size_t> columns_of_numbers(const HtmlTable& table) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < table.head.size(); ++column) {
    const auto is_number = [&](const auto& row) {
      return row[column].empty() || is_number_text(row[column]);
    };
    if (std::ranges::all_of(table.rows, is_number)) columns.push_back(column);
  }
  return columns;
}

std::string render_details(std::string_view heading, std::string_view content) {
  if (content.empty()) return {};
  return fmt::format("<details><summary>{}</summary>{}</details>", escape_html(heading), content);
}

std::string render_section(std::string_view id, std::string_view heading, std::string_view content) {
  if (content.empty()) return {};
  return fmt::format(
      R"(<section id="{0}" aria-labelledby="{0}-head"><h2 id="{0}-head">{1}</h2>{2}</section>)", id,
      escape_html(heading), content);
}

}  // namespace ddp::cli
