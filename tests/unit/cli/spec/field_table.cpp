#include "field_table.hpp"

#include <limits>

#include "cli/spec/field_writer.hpp"
#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

std::string render_range(IntegerRange range) {
  const bool has_max = range.max < std::numeric_limits<std::int32_t>::max();
  if (range.min < 0) return "";
  return has_max ? ", " + std::to_string(range.min) + " to " + std::to_string(range.max)
                 : ", " + std::to_string(range.min) + " or more";
}

std::string render_range(const NumberRange& range) {
  if (range.min == NumberRange{}.min) return "";
  const bool has_max = range.max < NumberRange{}.max;
  const bool above = range.min_bound == Bound::exclusive;
  const bool below = has_max && range.max_bound == Bound::exclusive;
  const std::string min = render_number(range.min);
  if (!above && !below) return ", " + min + (has_max ? " to " + render_number(range.max) : " or more");
  std::string text = above ? ", more than " + min : ", " + min + " or more";
  if (has_max) text += (below ? ", less than " : ", at most ") + render_number(range.max);
  return text;
}

template <class T, class Render>
std::string render_default(const std::optional<T>& value, Render render) {
  return value ? render(*value) : std::string();
}

}  // namespace

bool FieldTable::enter(const Key& key) {
  path_.emplace_back(key.name);
  return true;
}

void FieldTable::add(const Key& key, const std::string& values, const std::string& value) {
  std::vector<std::string> path = path_;
  path.emplace_back(key.name);
  rows_.push_back("| `" + join_path(path) + "` | " + values + " | " + value + " | " + std::string(key.doc) +
                  " |");
}

void FieldTable::visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) {
  add(key, "integer" + render_range(range), render_default(value, [](auto v) { return std::to_string(v); }));
}

void FieldTable::visit_number(const Key& key, std::optional<double>& value, NumberRange range) {
  add(key, "number" + render_range(range), render_default(value, render_number));
}

void FieldTable::visit_flag(const Key& key, std::optional<bool>& value) {
  add(key, "true, false", render_default(value, [](bool v) { return std::string(v ? "true" : "false"); }));
}

void FieldTable::visit_text(const Key& key, std::optional<std::string>& value) {
  add(key, "text", value.value_or(""));
}

void FieldTable::visit_path(const Key& key, std::optional<std::string>& value) {
  add(key, "path", value.value_or(""));
}

void FieldTable::visit_duration(const Key& key, std::optional<std::chrono::seconds>& value,
                                DurationRange range) {
  const bool slurm = range.form == DurationForm::units_or_slurm;
  add(key, slurm ? "duration, or Slurm's `HH:MM:SS`" : "duration", render_default(value, render_duration));
}

void FieldTable::visit_size(const Key& key, std::optional<std::uint64_t>& bytes) {
  add(key, "size", render_default(bytes, render_size));
}

void FieldTable::visit_word(const Key& key, std::string& value, std::span<const Word> words) {
  std::string usable;
  for (const Word& word : words) {
    if (word.refusal.empty()) usable += (usable.empty() ? "" : ", ") + std::string(word.text);
  }
  add(key, usable, value);
}

void FieldTable::visit_word_or_duration(const Key& key, std::string& value, std::span<const Word> words,
                                        DurationRange) {
  std::string usable;
  for (const Word& word : words) usable += std::string(word.text) + ", ";
  add(key, usable + "or a duration", value);
}

void FieldTable::visit_texts(const Key& key, std::vector<std::string>&) {
  add(key, "list of texts", "");
}

void FieldTable::visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange each) {
  std::string list;
  for (const std::int64_t value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
  add(key, "list of integers" + render_range(each), "[" + list + "]");
}

void FieldTable::visit_numbers(const Key& key, std::vector<double>& values, NumberRange each) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ", ") + render_number(value);
  add(key, "list of numbers" + render_range(each), "[" + list + "]");
}

void FieldTable::visit_text_map(const Key& key, std::map<std::string, std::string>&) {
  add(key, "map of texts", "");
}

void FieldTable::visit_sections(const Key& key, const SectionList& list) {
  add(key, "list of maps, or of texts: `" + std::string(list.single) + "`", "");
  path_.push_back(std::string(key.name) + "[]");
  list.resize(1);
  list.describe(0);
  list.resize(0);
  path_.pop_back();
}

void FieldTable::visit_lists(const Key& key, std::vector<NamedList>&) {
  add(key, "map of lists", "");
}

}  // namespace ddp::cli
