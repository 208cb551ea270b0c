#include "cli/spec/field_writer.hpp"

#include <algorithm>
#include <cctype>

#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

/// Whether YAML reads `text` without quotes as this text, in a list too. What it would read as something else
/// by its looks, like 12 or true, is quoted: other readers than this one may look.
bool is_plain_text(std::string_view text) {
  constexpr std::string_view kPlain = "._/+@%=-";
  const auto fits = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kPlain.find(c) != kPlain.npos;
  };
  const bool begins_well =
      !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text.front() == '/');
  if (!begins_well || !std::ranges::all_of(text, fits)) return false;
  constexpr std::array<std::string_view, 9> kWords = {"true", "false", "null", "yes", "no",
                                                      "on",   "off",   "y",    "n"};
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(kWords, lower) == kWords.end();
}

template <class T, class Render>
std::string render_list(const std::vector<T>& values, Render render) {
  std::string list;
  for (const T& value : values) list += (list.empty() ? "[" : ", ") + render(value);
  return list.empty() ? "[]" : list + "]";
}

std::string render_map(const std::vector<ConfigNode::Entry>& entries) {
  std::string map;
  for (const auto& entry : entries)
    map += (map.empty() ? "{" : ", ") + render_text(entry.key) + ": " + render_node(entry.value);
  return map.empty() ? "{}" : map + "}";
}

/// Quotes would make something else of a number or a flag, and of a text that looks like one.
std::string render_scalar(const ConfigNode& node) {
  const bool is_number_or_flag = parse_number(node.scalar) || parse_flag(node.scalar);
  if (!is_number_or_flag) return render_text(node.scalar);
  return node.quoting == ConfigNode::Quoting::plain ? node.scalar : '"' + node.scalar + '"';
}

std::string escape_in_quotes(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  return c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
}

}  // namespace

std::string render_node(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return "null";
    case ConfigNode::Kind::scalar:
      return render_scalar(node);
    case ConfigNode::Kind::sequence:
      return render_list(node.items, render_node);
    case ConfigNode::Kind::map:
      return render_map(node.entries);
  }
  return {};
}

std::string render_text(const std::string& text) {
  if (is_plain_text(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += escape_in_quotes(c);
  return quoted + "\"";
}

std::string render_texts(const std::vector<std::string>& texts) {
  return render_list(texts, render_text);
}

std::string join_path(const std::vector<std::string>& path) {
  std::string joined;
  for (const std::string& key : path) joined += (joined.empty() ? "" : ".") + key;
  return joined;
}

void FieldWriter::write(std::string_view key, std::string value) {
  WrittenField field{path_, std::move(value), {}};
  field.path.emplace_back(key);
  field.origin = origin_of(join_path(field.path));
  fields_.push_back(std::move(field));
}

std::string FieldWriter::origin_of(const std::string& path) const {
  const auto origin = origins_.find(path);
  return origin == origins_.end() ? "default" : origin->second.describe();
}

bool FieldWriter::enter(const Key& key) {
  path_.emplace_back(key.name);
  return true;
}

void FieldWriter::visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange) {
  if (value) write(key.name, std::to_string(*value));
}

void FieldWriter::visit_number(const Key& key, std::optional<double>& value, NumberRange) {
  if (value) write(key.name, render_number(*value));
}

void FieldWriter::visit_flag(const Key& key, std::optional<bool>& value) {
  if (value) write(key.name, *value ? "true" : "false");
}

void FieldWriter::visit_text(const Key& key, std::optional<std::string>& value) {
  if (value) write(key.name, render_text(*value));
}

void FieldWriter::visit_path(const Key& key, std::optional<std::string>& value) {
  if (value) write(key.name, render_text(render_path(*value)));
}

void FieldWriter::visit_duration(const Key& key, std::optional<std::chrono::seconds>& value, DurationRange) {
  if (value) write(key.name, render_duration(*value));
}

void FieldWriter::visit_size(const Key& key, std::optional<std::uint64_t>& bytes) {
  if (bytes) write(key.name, render_size(*bytes));
}

void FieldWriter::visit_word(const Key& key, std::string& value, std::span<const Word>) {
  if (!value.empty()) write(key.name, value);
}

void FieldWriter::visit_texts(const Key& key, std::vector<std::string>& values) {
  if (values.empty()) return;
  write(key.name, render_texts(values));
  WrittenField& field = fields_.back();
  const auto path = join_path(field.path);
  for (std::size_t index = 0; index < values.size(); ++index)
    field.items.push_back({render_text(values[index]), origin_of(item_path(path, index))});
  const auto is_of_one_line = [&](const WrittenItem& item) { return item.origin == field.items[0].origin; };
  if (std::ranges::all_of(field.items, is_of_one_line)) field.items.clear();
}

// An empty list is a value here: a model without hidden layers.
void FieldWriter::visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange) {
  write(key.name, render_list(values, [](std::int64_t value) { return std::to_string(value); }));
}

void FieldWriter::visit_numbers(const Key& key, std::vector<double>& values, NumberRange) {
  write(key.name, render_list(values, render_number));
}

void FieldWriter::visit_text_map(const Key& key, std::map<std::string, std::string>& values) {
  enter(key);
  for (const auto& [name, value] : values) write(name, render_text(value));
  leave();
}

std::string FieldWriter::take_item(std::size_t first) {
  std::string map;
  for (std::size_t i = first; i < fields_.size(); ++i)
    map += (map.empty() ? "{" : ", ") + fields_[i].path.back() + ": " + fields_[i].value;
  fields_.resize(first);
  return map.empty() ? "{}" : map + "}";
}

void FieldWriter::visit_sections(const Key& key, const SectionList& list) {
  std::vector<std::string> items;
  for (std::size_t index = 0; index < list.size; ++index) {
    const std::size_t first = fields_.size();
    list.describe(index);
    items.push_back(take_item(first));
  }
  if (!items.empty()) write(key.name, render_list(items, [](const std::string& item) { return item; }));
}

void FieldWriter::visit_lists(const Key& key, std::vector<NamedList>& lists) {
  enter(key);
  for (const NamedList& list : lists)
    write(list.name, render_list(list.values, [](const std::string& value) { return value; }));
  leave();
}

}  // namespace ddp::cli
