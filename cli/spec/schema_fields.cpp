#include "cli/spec/schema_fields.hpp"

#include <algorithm>
#include <array>

#include "jobenv/config/scalar.hpp"

namespace ddp::cli {
namespace {

using json = nlohmann::ordered_json;

// The editor shows this in place of the pattern.
constexpr const char* kPatternMessage = "patternErrorMessage";

json integer_in(IntegerRange range) {
  json keywords{{"type", "integer"}};
  if (range.min != IntegerRange{}.min) keywords["minimum"] = range.min;
  if (range.max != IntegerRange{}.max) keywords["maximum"] = range.max;
  return keywords;
}

json number_in(const NumberRange& range) {
  json keywords{{"type", "number"}};
  if (range.min != NumberRange{}.min)
    keywords[range.min_bound == Bound::inclusive ? "minimum" : "exclusiveMinimum"] = range.min;
  if (range.max != NumberRange{}.max)
    keywords[range.max_bound == Bound::inclusive ? "maximum" : "exclusiveMaximum"] = range.max;
  return keywords;
}

/// As parse_duration has it. That a duration is too long no pattern can tell.
json duration_in(DurationRange range) {
  const bool slurm = range.form == DurationForm::units_or_slurm;
  const std::string units = "([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?";
  const std::string slurm_time = "([0-9]+-)?[0-9]+:[0-9]+(:[0-9]+)?|[0-9]+-[0-9]+";
  const std::string not_zero = range.min.count() > 0 ? "(?=.*[1-9])" : "(?=.)";
  return {{"type", "string"},
          {"pattern", "^" + not_zero + "(" + units + (slurm ? "|" + slurm_time : "") + ")$"},
          {kPatternMessage, slurm ? "Write a duration such as 2h, 1h30m or 02:00:00"
                                  : "Write a duration such as 30s, 2m or 1h30m"}};
}

json size_with_unit() {
  return {{"type", "string"},
          {"pattern", "^[0-9]{1,15}([KMGT]i?)?B$"},
          {kPatternMessage, "Write a whole number and a unit, such as 64GiB"}};
}

json path_text() {
  json keywords = any_text();
  keywords["minLength"] = 1;
  keywords["pattern"] = "^([^$]|[$][$])*$";
  keywords[kPatternMessage] = "Write the path out: variables are not expanded; a dollar sign is written $$";
  return keywords;
}

json one_of(std::span<const Word> words) {
  json usable = json::array();
  for (const Word& word : words) {
    if (word.refusal.empty()) usable.push_back(word.text);
  }
  return {{"enum", std::move(usable)}};
}

json list_of(json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

template <class T>
json default_of(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

}  // namespace

SchemaFields::SchemaFields() {
  open({});
}

void SchemaFields::open(const Key& key) {
  open_.push_back({std::string(key.name), std::string(key.doc), std::make_shared<SchemaSection>()});
  keys_ = &open_.back().section->keys;
}

SchemaKey SchemaFields::close() {
  OpenSection ended = std::move(open_.back());
  open_.pop_back();
  keys_ = &open_.back().section->keys;
  return {std::move(ended.name), std::move(ended.doc), {}, std::move(ended.section)};
}

void SchemaFields::add(const Key& key, json value) {
  keys_->push_back({std::string(key.name), std::string(key.doc), std::move(value), nullptr});
}

void SchemaFields::add(const Key& key, json value, json default_value) {
  if (!default_value.is_null() && default_value != "") value["default"] = std::move(default_value);
  add(key, std::move(value));
}

bool SchemaFields::enter(const Key& key) {
  open(key);
  return true;
}

void SchemaFields::leave() {
  SchemaKey key = close();
  keys_->push_back(std::move(key));
}

bool SchemaFields::enter_alternative(const Alternative& alternative) {
  if (alternative.state == Alternative::State::open) return false;
  SchemaSection& section = *open_.back().section;
  section.choice = alternative.key;
  section.alternatives.push_back({std::string(alternative.word), std::string(alternative.doc), {}});
  keys_ = &section.alternatives.back().keys;
  return true;
}

void SchemaFields::alternatives_hold_for(std::string_view key, std::string_view word) {
  open_.back().section->condition = {std::string(key), std::string(word)};
}

void SchemaFields::visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) {
  add(key, integer_in(range), default_of(value));
}

void SchemaFields::visit_number(const Key& key, std::optional<double>& value, NumberRange range) {
  add(key, number_in(range), default_of(value));
}

void SchemaFields::visit_flag(const Key& key, std::optional<bool>& value) {
  add(key, {{"type", "boolean"}}, default_of(value));
}

void SchemaFields::visit_text(const Key& key, std::optional<std::string>& value) {
  json keywords = any_text();
  keywords["minLength"] = 1;
  add(key, std::move(keywords), default_of(value));
}

void SchemaFields::visit_path(const Key& key, std::optional<std::string>& value) {
  add(key, path_text(), default_of(value));
}

void SchemaFields::visit_duration(const Key& key, std::optional<std::chrono::seconds>& value,
                                  DurationRange range) {
  add(key, duration_in(range), value ? json(render_duration(*value)) : json());
}

void SchemaFields::visit_size(const Key& key, std::optional<std::uint64_t>& bytes) {
  add(key, size_with_unit(), bytes ? json(render_size(*bytes)) : json());
}

void SchemaFields::visit_word(const Key& key, std::string& value, std::span<const Word> words) {
  add(key, one_of(words), value);
}

void SchemaFields::visit_word_or_duration(const Key& key, std::string& value, std::span<const Word> words,
                                          DurationRange range) {
  add(key, {{"anyOf", {one_of(words), duration_in(range)}}}, value);
}

void SchemaFields::visit_texts(const Key& key, std::vector<std::string>&) {
  json keywords = list_of(key.words.empty() ? any_text() : one_of(key.words));
  // Whether a text stands behind a '|' no schema can tell.
  if (key.form == ListForm::list_or_lines) keywords["type"] = {"array", "string"};
  add(key, std::move(keywords));
}

void SchemaFields::visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange each) {
  add(key, list_of(integer_in(each)), values);
}

void SchemaFields::visit_numbers(const Key& key, std::vector<double>& values, NumberRange each) {
  add(key, list_of(number_in(each)), values);
}

void SchemaFields::visit_text_map(const Key& key, std::map<std::string, std::string>&) {
  add(key, {{"type", "object"}, {"additionalProperties", or_null(any_text())}});
}

void SchemaFields::visit_lists(const Key& key, std::vector<NamedList>&) {
  add(key, {{"type", "object"}});
}

void SchemaFields::visit_sections(const Key& key, const SectionList& list) {
  open(key);
  const std::size_t held = list.size;
  list.resize(held + 1);
  list.describe(held);
  list.resize(held);
  const SchemaKey item = close();
  const auto single = std::ranges::find(item.section->keys, list.single, &SchemaKey::name);
  add(key, list_of({{"anyOf", {single->value, render_section(*item.section)}}}));
}

}  // namespace ddp::cli
