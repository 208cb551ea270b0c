#include "cli/spec/key_list.hpp"

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

std::vector<std::string> usable_words(std::span<const Word> words) {
  std::vector<std::string> usable;
  for (const Word& word : words) {
    if (word.refusal.empty()) usable.emplace_back(word.text);
  }
  return usable;
}

std::string join_with_commas(const std::vector<std::string>& words) {
  std::string list;
  for (const auto& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

}  // namespace

std::string KeyList::path_to(std::string_view key) const {
  std::vector<std::string> path = path_;
  path.emplace_back(key);
  return join_path(path);
}

bool KeyList::enter(const Key& key) {
  sections_.push_back({path_to(key.name), std::string(key.doc)});
  path_.emplace_back(key.name);
  return true;
}

KeyRow& KeyList::add(const Key& key, KeyType type, std::string values, std::string value) {
  return rows_.emplace_back(
      KeyRow{path_to(key.name), std::move(values), std::move(value), std::string(key.doc), type});
}

void KeyList::visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) {
  add(key, KeyType::number, "integer" + render_range(range),
      render_default(value, [](auto v) { return std::to_string(v); }));
}

void KeyList::visit_number(const Key& key, std::optional<double>& value, NumberRange range) {
  add(key, KeyType::number, "number" + render_range(range), render_default(value, render_number));
}

void KeyList::visit_flag(const Key& key, std::optional<bool>& value) {
  add(key, KeyType::flag, "true, false",
      render_default(value, [](bool v) { return std::string(v ? "true" : "false"); }))
      .words = {"true", "false"};
}

void KeyList::visit_text(const Key& key, std::optional<std::string>& value) {
  add(key, KeyType::text, "text", value.value_or(""));
}

void KeyList::visit_path(const Key& key, std::optional<std::string>& value) {
  add(key, KeyType::path, "path", value.value_or(""));
}

void KeyList::visit_duration(const Key& key, std::optional<std::chrono::seconds>& value,
                             DurationRange range) {
  const bool slurm = range.form == DurationForm::units_or_slurm;
  add(key, KeyType::time, slurm ? "duration, or Slurm's `HH:MM:SS`" : "duration",
      render_default(value, render_duration));
}

void KeyList::visit_size(const Key& key, std::optional<std::uint64_t>& bytes) {
  add(key, KeyType::size, "size", render_default(bytes, render_size));
}

void KeyList::visit_word(const Key& key, std::string& value, std::span<const Word> words) {
  auto usable = usable_words(words);
  add(key, KeyType::word, join_with_commas(usable), value).words = std::move(usable);
}

void KeyList::visit_word_or_duration(const Key& key, std::string& value, std::span<const Word> words,
                                     DurationRange) {
  auto usable = usable_words(words);
  add(key, KeyType::word, join_with_commas(usable) + ", or a duration", value).words = std::move(usable);
}

void KeyList::visit_texts(const Key& key, std::vector<std::string>&) {
  const auto usable = usable_words(key.words);
  add(key, KeyType::list, usable.empty() ? "list of texts" : "list of " + join_with_commas(usable), "");
}

void KeyList::visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange each) {
  std::string list;
  for (const std::int64_t value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
  add(key, KeyType::list, "list of integers" + render_range(each), "[" + list + "]");
}

void KeyList::visit_numbers(const Key& key, std::vector<double>& values, NumberRange each) {
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ", ") + render_number(value);
  add(key, KeyType::list, "list of numbers" + render_range(each), "[" + list + "]");
}

void KeyList::visit_text_map(const Key& key, std::map<std::string, std::string>&) {
  add(key, KeyType::map, "map of texts", "");
}

void KeyList::visit_sections(const Key& key, const SectionList& list) {
  add(key, KeyType::list, "list of maps, or of texts: `" + std::string(list.single) + "`", "");
  path_.push_back(std::string(key.name) + "[]");
  list.resize(1);
  list.describe(0);
  list.resize(0);
  path_.pop_back();
}

void KeyList::visit_lists(const Key& key, std::vector<NamedList>&) {
  add(key, KeyType::map, "map of lists", "");
}

}  // namespace ddp::cli
