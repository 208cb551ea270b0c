#include "cli/spec/render_spec.hpp"

#include <algorithm>
#include <map>

#include "cli/spec/field_writer.hpp"
#include "cli/spec/spec_fields.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kOriginColumn = 48;

// The description of a section is written for readers too and takes fields to change; a copy is changed here,
// never the spec.
std::vector<WrittenField> write_run(RunSpec spec) {
  const ValueOrigins origins = spec.origins;
  FieldWriter writer(origins.by_path);
  describe_spec(writer, spec);
  return writer.take_fields();
}

/// Of a sweep what all points have in common, and the sweep itself.
std::vector<WrittenField> write_fields(const RunSpec& spec) {
  auto fields = write_run(spec);
  for (const RunSpec& point : spec.points) {
    std::map<std::vector<std::string>, std::string> values;
    for (WrittenField& field : write_run(point))
      values.emplace(std::move(field.path), std::move(field.value));
    std::erase_if(fields, [&values](const WrittenField& field) {
      if (field.path.front().starts_with("sweep")) return false;
      const auto same = values.find(field.path);
      return same == values.end() || same->second != field.value;
    });
  }
  return fields;
}

/// The lines of the sections that `path` is in and `before` is not.
std::string render_sections(const std::vector<std::string>& before, const std::vector<std::string>& path) {
  const auto shared = static_cast<std::size_t>(std::ranges::mismatch(before, path).in2 - path.begin());
  std::string lines;
  for (std::size_t depth = shared; depth + 1 < path.size(); ++depth)
    lines += std::string(2 * depth, ' ') + path[depth] + ":\n";
  return lines;
}

/// The name of a file may hold what no configuration may, not even in a comment.
std::string render_origin(std::string_view origin) {
  std::string text;
  for (std::size_t i = 0; i < origin.size();) {
    const CodePoint code = decode_utf8(origin.substr(i));
    const bool fits = code.valid && !is_control_character(code.value);
    text += fits ? origin.substr(i, code.bytes) : "?";
    i += code.bytes;
  }
  return text;
}

std::string render_line(std::string line, std::string_view origin) {
  if (line.size() < kOriginColumn) line.resize(kOriginColumn, ' ');
  return line + "  # " + render_origin(origin) + "\n";
}

/// A list whose items come from several lines has them on several lines.
std::string render_field(const WrittenField& field) {
  const std::string indentation(2 * (field.path.size() - 1), ' ');
  const std::string key = indentation + render_text(field.path.back()) + ":";
  if (field.items.empty()) return render_line(key + " " + field.value, field.origin);
  std::string text = key + "\n";
  for (const WrittenItem& item : field.items)
    text += render_line(indentation + "  - " + item.value, item.origin);
  return text;
}

}  // namespace

std::vector<SpecRow> explain_spec(const RunSpec& spec) {
  std::vector<SpecRow> rows;
  for (WrittenField& field : write_fields(spec)) {
    rows.push_back({join_path(field.path), std::move(field.value), std::move(field.origin)});
  }
  return rows;
}

std::string render_spec(const RunSpec& spec) {
  std::string text;
  std::vector<std::string> before;
  for (const WrittenField& field : write_fields(spec)) {
    text += render_sections(before, field.path) + render_field(field);
    before = field.path;
  }
  return text;
}

}  // namespace ddp::cli
