#include "jobenv/config/field_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "jobenv/config/scalar.hpp"
#include "jobenv/config/suggestion.hpp"
#include "jobenv/config/utf8.hpp"

namespace ddp {
namespace {

constexpr std::size_t kMaxQuoted = 60;

std::string quote(std::string_view text) {
  if (text.size() <= kMaxQuoted) return "'" + std::string(text) + "'";
  return "'" + std::string(text.substr(0, kMaxQuoted)) + "...'";
}

std::string describe_range(IntegerRange range) {
  if (range.max == IntegerRange{}.max) return "at least " + std::to_string(range.min);
  return "between " + std::to_string(range.min) + " and " + std::to_string(range.max);
}

std::string describe_range(const NumberRange& range) {
  const std::string above = range.min_bound == Bound::exclusive ? "greater than " : "at least ";
  const std::string below = range.max_bound == Bound::exclusive ? "less than " : "at most ";
  if (range.min == NumberRange{}.min) return below + render_number(range.max);
  if (range.max == NumberRange{}.max) return above + render_number(range.min);
  return above + render_number(range.min) + " and " + below + render_number(range.max);
}

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool contains(const NumberRange& range, double value) {
  const bool above = range.min_bound == Bound::exclusive ? value > range.min : value >= range.min;
  const bool below = range.max_bound == Bound::exclusive ? value < range.max : value <= range.max;
  return above && below;
}

/// A list as it is typed on the command line. Empty: it does not come from there, or needs more quotes.
std::string advise_on_argument(const std::string& section, const Key& key, const ConfigNode::Entry& entry,
                               ListOf items) {
  const auto& text = entry.value.scalar;
  const bool is_simple =
      entry.value.kind == ConfigNode::Kind::scalar && text.find_first_of("'\"\\") == std::string::npos;
  if (!is_simple || entry.value.origin() != Origin::command_line) return {};
  const auto list = key.form == ListForm::list_or_lines ? "[\"" + text + "\"]" : list_form(text, items);
  return list.empty() ? "" : "write it in brackets: '" + section + entry.key + "=" + list + "'";
}

}  // namespace

FieldReader::FieldReader(const ConfigNode& root, std::string home, Errors& errors, ForeignKeys foreign)
    : sections_{{&root, ""}}, home_(std::move(home)), errors_(errors), foreign_(foreign) {}

void FieldReader::finish() {
  collect_unknown(sections_.front());
  for (const UnknownKey& unknown : unknown_) report_unknown(unknown);
}

void FieldReader::collect_unknown(const Section& section) {
  if (!section.node || section.accepts_any) return;
  for (const Entry& entry : section.node->entries) {
    if (contains(section.known, entry.key) || contains(section.unavailable, entry.key)) continue;
    unknown_.push_back({&entry, section.path, section.known});
  }
}

void FieldReader::report_unknown(const UnknownKey& unknown) {
  auto [hint, meant] = advise_on_unknown(unknown);
  errors_.push_back(
      config_error(unknown.entry->key_place, "unknown key " + quote(unknown.entry->key), std::move(hint)));
  if (!meant.empty())
    misspellings_.push_back({unknown.section + unknown.entry->key, std::move(meant), errors_.back()});
}

FieldReader::Advice FieldReader::advise_on_unknown(const UnknownKey& unknown) const {
  const std::string& key = unknown.entry->key;
  const std::string spelled = name_as_key(key);
  if (const auto row = std::ranges::find(foreign_, std::string_view(spelled), &ForeignKey::name);
      row != foreign_.end())
    return {std::string(row->advice), std::string(row->key)};
  if (auto hint = suggest_path(key, known_paths_, conditions_); !hint.empty() && key != name_here(spelled))
    return {std::move(hint), find_anywhere(key)};  // the person's own name: args.lr
  const std::string name(name_here(spelled));
  // A key of this section that goes on after the word is nearer than the word itself in another one.
  const bool is_here =
      (name != key && contains(unknown.known, name)) || !name_longer(key, unknown.known).empty();
  std::string hint = is_here ? suggest(name, unknown.known) : suggest_path(name, known_paths_, conditions_);
  if (!hint.empty()) return {std::move(hint), is_here ? find_here(unknown, name) : find_anywhere(name)};
  hint = suggest(key, unknown.known);
  if (!hint.empty()) return {std::move(hint), find_here(unknown, key)};
  return {"known keys: " + join_words(unknown.known, ", "), {}};
}

/// Of its own section.
std::string FieldReader::find_here(const UnknownKey& unknown, const std::string& name) {
  const std::string* nearest = find_nearest(name, unknown.known);
  return nearest == nullptr ? std::string() : unknown.section + *nearest;
}

/// Of any section, if only one has it.
std::string FieldReader::find_anywhere(const std::string& name) const {
  auto paths = paths_that_end_in(name, known_paths_);
  return paths.size() == 1 ? std::move(paths.front()) : std::string();
}

void FieldReader::needs(std::string_view section, std::string_view condition) {
  conditions_[sections_.back().path + std::string(section)] = condition;
}

bool FieldReader::has_refused(std::string_view key) const {
  return contains(sections_.back().refused, std::string(key));
}

void FieldReader::refuse(const ConfigNode& node, const std::string& subject, const std::string& what,
                         std::string hint) {
  const bool is_scalar = node.kind == ConfigNode::Kind::scalar;
  const std::string found = is_scalar ? quote(node.scalar) : std::string(describe_kind(node));
  errors_.push_back(
      config_error(node.place, subject + " must be " + what + ", not " + found, std::move(hint)));
}

const FieldReader::Entry* FieldReader::look_up(const Key& key) {
  Section& section = sections_.back();
  const std::string name(key.name);
  if (!contains(section.known, name)) {
    section.known.push_back(name);
    known_paths_.push_back(section.path + name);
  }
  const Entry* entry = section.node ? section.node->find(name) : nullptr;
  return entry && entry->value.kind != ConfigNode::Kind::null ? entry : nullptr;
}

const FieldReader::Entry* FieldReader::take(const Key& key, ConfigNode::Kind kind, const std::string& what) {
  const Entry* entry = look_up(key);
  if (!entry || accept(*entry, kind)) return entry;
  refuse_kind(*entry, what, "");
  return nullptr;
}

const FieldReader::Entry* FieldReader::take_list(const Key& key, ListOf items, const std::string& what) {
  const Entry* entry = look_up(key);
  if (!entry || accept(*entry, ConfigNode::Kind::sequence)) return entry;
  auto advice = advise_on_argument(sections_.back().path, key, *entry, items);
  refuse_kind(*entry, what, advice.empty() ? advise_on_list(key, *entry, items) : std::move(advice));
  return nullptr;
}

bool FieldReader::accept(const Entry& entry, ConfigNode::Kind kind) {
  if (entry.value.kind != kind) return false;
  if (kind != ConfigNode::Kind::map) origins_[sections_.back().path + entry.key] = entry.value.place;
  return true;
}

void FieldReader::refuse_kind(const Entry& entry, const std::string& what, std::string hint) {
  refuse(entry.value, quote(entry.key), what, std::move(hint));
  sections_.back().refused.push_back(entry.key);
}

std::string FieldReader::advise_on_list(const Key& key, const Entry& entry, ListOf items) {
  const bool is_text = entry.value.kind == ConfigNode::Kind::scalar;
  const bool is_plain = is_text && entry.value.scalar.find('\'') == std::string::npos;
  if (is_plain && key.form == ListForm::list_or_lines)
    return "each item is one line of shell: " + entry.key + ": ['" + entry.value.scalar + "']";
  const auto list = is_text ? list_form(entry.value.scalar, items) : std::string();
  return list.empty() ? "write it in brackets: [a, b]" : "write it in brackets: " + entry.key + ": " + list;
}

bool FieldReader::is_unquoted(const ConfigNode& node, const std::string& subject, const std::string& what) {
  if (node.quoting == ConfigNode::Quoting::plain) return true;
  refuse(node, subject, what, "write it without quotes");
  return false;
}

std::optional<std::int64_t> FieldReader::read_integer(const std::string& subject, const ConfigNode& node,
                                                      IntegerRange range) {
  if (node.kind != ConfigNode::Kind::scalar) {
    refuse(node, subject, "an integer", "");
    return std::nullopt;
  }
  const auto parsed = parse_integer(node.scalar);
  if (!parsed) {
    refuse(node, subject, "an integer", parsed.error());
  } else if (*parsed < range.min || *parsed > range.max) {
    refuse(node, subject, describe_range(range), "");
  } else if (is_unquoted(node, subject, "an integer")) {
    return *parsed;
  }
  return std::nullopt;
}

void FieldReader::visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) {
  const Entry* entry = take(key, ConfigNode::Kind::scalar, "an integer");
  if (!entry) return;
  if (const auto read = read_integer(quote(key.name), entry->value, range)) value = read;
}

std::optional<double> FieldReader::read_number(const std::string& subject, const ConfigNode& node,
                                               const NumberRange& range) {
  if (node.kind != ConfigNode::Kind::scalar) {
    refuse(node, subject, "a number", "");
    return std::nullopt;
  }
  const auto parsed = parse_number(node.scalar);
  if (!parsed) {
    refuse(node, subject, "a number", parsed.error());
  } else if (!contains(range, *parsed)) {
    refuse(node, subject, describe_range(range), "");
  } else if (is_unquoted(node, subject, "a number")) {
    return *parsed;
  }
  return std::nullopt;
}

void FieldReader::visit_number(const Key& key, std::optional<double>& value, NumberRange range) {
  const Entry* entry = take(key, ConfigNode::Kind::scalar, "a number");
  if (!entry) return;
  if (const auto read = read_number(quote(key.name), entry->value, range)) value = *read;
}

void FieldReader::visit_flag(const Key& key, std::optional<bool>& value) {
  const Entry* entry = take(key, ConfigNode::Kind::scalar, "true or false");
  if (!entry) return;
  const auto parsed = parse_flag(entry->value.scalar);
  if (!parsed) return refuse(entry->value, quote(key.name), "true or false", parsed.error());
  if (is_unquoted(entry->value, quote(key.name), "true or false")) value = *parsed;
}

void FieldReader::visit_text(const Key& key, std::optional<std::string>& value) {
  const Entry* entry = take(key, ConfigNode::Kind::scalar, "a text");
  if (!entry) return;
  if (entry->value.scalar.empty())
    return refuse(entry->value, quote(entry->key), "a text", "null restores the default");
  value = entry->value.scalar;
}

void FieldReader::visit_path(const Key& key, std::optional<std::string>& value) {
  const Entry* entry = take(key, ConfigNode::Kind::scalar, "a path");
  if (!entry) return;
  if (auto path = resolve_path(entry->value)) value = std::move(path);
}

std::optional<std::string> FieldReader::resolve_path(const ConfigNode& node) {
  const auto reject = [&](const std::string& message, const std::string& hint) {
    errors_.push_back(config_error(node.place, message, hint));
    return std::nullopt;
  };
  if (node.scalar.empty()) return reject("an empty path", "null restores the default");
  const auto parsed = parse_path(node.scalar);
  if (!parsed) return reject("variables are not expanded in paths", parsed.error());
  const std::string& text = *parsed;
  const bool is_home = text == "~" || text.starts_with("~/");
  if (text.starts_with('~') && (!is_home || home_.empty())) {
    return reject("'~' cannot be replaced: the home folder is unknown", "write the path out");
  }
  const auto path = is_home ? std::filesystem::path(home_ + text.substr(1))
                            : std::filesystem::path(node.place.source->folder) / text;
  auto normal = path.lexically_normal().string();
  if (!has_control_character(normal)) return normal;
  return reject(
      "this path is relative to a folder whose name has a line break, a control character or invalid UTF-8",
      "write an absolute path, or rename the folder");
}

void FieldReader::visit_duration(const Key& key, std::optional<std::chrono::seconds>& value,
                                 DurationRange range) {
  const Entry* entry = take(key, ConfigNode::Kind::scalar, "a duration");
  if (!entry) return;
  if (const auto read = read_duration(*entry, "a duration", range)) value = read;
}

std::optional<std::chrono::seconds> FieldReader::read_duration(const Entry& entry, const std::string& what,
                                                               DurationRange range) {
  const auto parsed = parse_duration(entry.value.scalar, range.form);
  if (!parsed) {
    refuse(entry.value, quote(entry.key), what, parsed.error());
  } else if (*parsed < range.min || *parsed > range.max) {
    refuse(entry.value, quote(entry.key),
           "between " + render_duration(range.min) + " and " + render_duration(range.max), "");
  } else {
    return *parsed;
  }
  return std::nullopt;
}

void FieldReader::visit_size(const Key& key, std::optional<std::uint64_t>& bytes) {
  const Entry* entry = take(key, ConfigNode::Kind::scalar, "a size");
  if (!entry) return;
  const auto parsed = parse_size(entry->value.scalar);
  if (!parsed) return refuse(entry->value, quote(entry->key), "a size", parsed.error());
  bytes = *parsed;
}

void FieldReader::visit_word(const Key& key, std::string& value, std::span<const Word> words) {
  std::vector<std::string> usable;
  for (const Word& word : words) {
    if (word.refusal.empty()) usable.emplace_back(word.text);
  }
  const std::string what = join_words(usable);
  const Entry* entry = take(key, ConfigNode::Kind::scalar, what);
  if (!entry) return;
  const std::string& text = entry->value.scalar;
  const auto known =
      std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.text == text; });
  if (known != words.end() && known->refusal.empty()) {
    value = text;
    return;
  }
  sections_.back().refused.push_back(entry->key);
  if (known == words.end()) return refuse(entry->value, quote(entry->key), what, suggest(text, usable));
  errors_.push_back(config_error(
      entry->value.place, "'" + entry->key + "' cannot be '" + text + "': " + std::string(known->refusal),
      "use " + what));
}

void FieldReader::visit_word_or_duration(const Key& key, std::string& value, std::span<const Word> words,
                                         DurationRange range) {
  std::vector<std::string> accepted;
  for (const Word& word : words) accepted.emplace_back(word.text);
  accepted.emplace_back("a duration");
  const std::string what = join_words(accepted);
  const Entry* entry = take(key, ConfigNode::Kind::scalar, what);
  if (!entry) return;
  const std::string& text = entry->value.scalar;
  if (std::ranges::find(words, text, &Word::text) != words.end()) {
    value = text;
  } else if (const auto read = read_duration(*entry, what, range)) {
    value = render_duration(*read);
  }
}

bool FieldReader::is_one_of(const Key& key, const ConfigNode& item) {
  std::vector<std::string> words;
  for (const Word& word : key.words) words.emplace_back(word.text);
  if (contains(words, item.scalar)) return true;
  refuse(item, "each item of " + quote(key.name), join_words(words), suggest(item.scalar, words));
  return false;
}

void FieldReader::visit_texts(const Key& key, std::vector<std::string>& values) {
  const Entry* entry = take_list(key, ListOf::texts, "a list");
  if (!entry) return;
  values.clear();
  for (const ConfigNode& item : entry->value.items) {
    if (item.kind != ConfigNode::Kind::scalar) {
      refuse(item, "each item of " + quote(entry->key), "a text", "put it in quotes");
      continue;
    }
    if (!key.words.empty() && !is_one_of(key, item)) continue;
    origins_[sections_.back().path + item_path(entry->key, values.size())] = item.place;
    values.push_back(item.scalar);
  }
}

void FieldReader::visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange each) {
  const Entry* entry = take_list(key, ListOf::numbers, "a list of integers");
  if (!entry) return;
  values.clear();
  for (const ConfigNode& item : entry->value.items) {
    if (const auto value = read_integer("each item of " + quote(entry->key), item, each))
      values.push_back(*value);
  }
}

void FieldReader::visit_numbers(const Key& key, std::vector<double>& values, NumberRange each) {
  const Entry* entry = take_list(key, ListOf::numbers, "a list of numbers");
  if (!entry) return;
  std::vector<double> list;
  for (const ConfigNode& item : entry->value.items) {
    if (const auto value = read_number("each item of " + quote(entry->key), item, each))
      list.push_back(*value);
  }
  if (list.size() == entry->value.items.size()) values = std::move(list);
}

void FieldReader::visit_text_map(const Key& key, std::map<std::string, std::string>& values) {
  const Entry* entry = take(key, ConfigNode::Kind::map, "a map");
  if (!entry) return;
  values.clear();
  for (const Entry& item : entry->value.entries) {
    known_paths_.push_back(sections_.back().path + entry->key + "." + item.key);
    if (item.value.kind == ConfigNode::Kind::null) continue;
    if (item.value.kind != ConfigNode::Kind::scalar) {
      refuse(item.value, quote(item.key), "a text", "put it in quotes");
      continue;
    }
    values[item.key] = item.value.scalar;
    origins_[sections_.back().path + entry->key + "." + item.key] = item.value.place;
  }
}

const ConfigNode* FieldReader::section_of(const Key& key, const ConfigNode& item, std::string_view single) {
  if (item.kind == ConfigNode::Kind::map) return &item;
  if (item.kind != ConfigNode::Kind::scalar) {
    refuse(item, "each item of " + quote(key.name), "a map of keys, or its " + std::string(single), "");
    return nullptr;
  }
  ConfigNode& made = made_.emplace_back();
  made.kind = ConfigNode::Kind::map;
  made.place = item.place;
  made.entries.push_back({std::string(single), item.place, item});
  return &made;
}

void FieldReader::visit_sections(const Key& key, const SectionList& list) {
  const Entry* entry = take_list(key, ListOf::texts, "a list");
  if (!entry) return;
  const auto& items = entry->value.items;
  list.resize(items.size());
  for (std::size_t index = 0; index < items.size(); ++index) {
    const ConfigNode* node = section_of(key, items[index], list.single);
    origins_[sections_.back().path + item_path(entry->key, index)] = items[index].place;
    if (!node) continue;
    sections_.push_back({node, sections_.back().path + item_path(entry->key, index) + "."});
    list.describe(index);
    leave();
  }
}

void FieldReader::unavailable(const Key& key) {
  Section& section = sections_.back();
  section.unavailable.emplace_back(key.name);
  const Entry* entry = section.node ? section.node->find(key.name) : nullptr;
  if (!entry) return;
  const std::string others = name_longer(key.name, section.known);
  errors_.push_back(config_error(entry->key_place, quote(key.name) + " is not available in this version",
                                 others.empty() ? "remove it" : "use " + others));
}

bool FieldReader::wants(const Key& key) {
  return look_up(key) != nullptr;
}

bool FieldReader::enter(const Key& key) {
  const bool is_present = wants(key);
  const Entry* entry = take(key, ConfigNode::Kind::map, "a map of keys");
  if (is_present && !entry) return false;
  sections_.push_back({entry ? &entry->value : nullptr, sections_.back().path + std::string(key.name) + "."});
  return true;
}

void FieldReader::leave() {
  collect_unknown(sections_.back());
  sections_.pop_back();
}

void FieldReader::alternatives_hold_for(std::string_view key, std::string_view word) {
  Section& section = sections_.back();
  const Entry* entry = section.node ? section.node->find(key) : nullptr;
  section.has_other_alternatives =
      entry && entry->value.kind == ConfigNode::Kind::scalar && entry->value.scalar != word;
}

bool FieldReader::enter_alternative(const Alternative& alternative) {
  if (alternative.state != Alternative::State::open) return alternative.state == Alternative::State::chosen;
  if (!sections_.back().node) return false;
  const bool has_others = std::ranges::any_of(sections_, &Section::has_other_alternatives);
  if (has_others) accept_any_key();
  return !has_others;
}

std::string item_path(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

}  // namespace ddp
