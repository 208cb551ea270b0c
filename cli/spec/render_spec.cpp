#include "cli/spec/render_spec.hpp"

#include <algorithm>

#include "cli/spec/field_writer.hpp"
#include "cli/spec/spec_fields.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kOriginColumn = 48;

// The description of a section is written for readers too and takes fields to change; a copy is changed here,
// never the spec.
std::vector<WrittenField> write_fields(RunSpec spec) {
  const ValueOrigins origins = spec.origins;
  FieldWriter writer(origins.by_path);
  describe_spec(writer, spec);
  return writer.take_fields();
}

/// The lines of the sections that `path` is in and `before` is not.
std::string render_sections(const std::vector<std::string>& before, const std::vector<std::string>& path) {
  const auto shared = static_cast<std::size_t>(std::ranges::mismatch(before, path).in2 - path.begin());
  std::string lines;
  for (std::size_t depth = shared; depth + 1 < path.size(); ++depth)
    lines += std::string(2 * depth, ' ') + path[depth] + ":\n";
  return lines;
}

std::string render_line(const WrittenField& field) {
  std::string line = std::string(2 * (field.path.size() - 1), ' ') + field.path.back() + ": " + field.value;
  if (line.size() < kOriginColumn) line.resize(kOriginColumn, ' ');
  std::string origin = field.origin;  // the name of a file: it may hold anything
  std::ranges::replace_if(
      origin, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, '?');
  return line + "  # " + origin + "\n";
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
    text += render_sections(before, field.path) + render_line(field);
    before = field.path;
  }
  return text;
}

}  // namespace ddp::cli
