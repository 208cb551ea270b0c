#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/value_range.hpp"

namespace ddp {

/// How a list of texts may be written: as a list, or as one text with a line for each item, too.
enum class ListForm { list, list_or_lines };

/// One accepted value of an enumeration. A word with a refusal is known, but cannot be used; the refusal says
/// why.
struct Word {
  std::string_view text;
  std::string_view refusal = {};
};

/// A key of a section and one line that says what it does.
struct Key {
  std::string_view name;
  std::string_view doc;
  ListForm form = ListForm::list;
  std::span<const Word> words = {};  ///< that the items of a list of texts can be; none: any text
};

/// Fields that a section has only while its key `key` is `word`.
struct Alternative {
  std::string_view key;
  std::string_view word;
  std::string_view doc;
  /// Of the section that is held. `open`: its word is missing or wrong, and the fields are those of all
  /// words.
  enum class State { chosen, other, open } state;
};

/// Which spellings of a duration are accepted: `1h30m`, or also Slurm's `HH:MM:SS` and `D-HH:MM:SS`.
enum class DurationForm { units, units_or_slurm };

struct DurationRange {
  std::chrono::seconds min{0};
  std::chrono::seconds max{std::chrono::hours{24 * 366}};
  DurationForm form = DurationForm::units;
};

/// A key that the user chooses, and a list of values, each as it stands in YAML.
struct NamedList {
  std::string name;
  std::vector<std::string> values;

  bool operator==(const NamedList&) const = default;
};

/// A list of sections, as a visitor sees it.
struct SectionList {
  std::string_view single;  ///< the field that an item stands for when it is a text alone
  std::size_t size = 0;     ///< of the list that is held
  std::function<void(std::size_t size)> resize;
  std::function<void(std::size_t index)> describe;  ///< the fields of one item
};

template <class E>
struct Choice {
  E value;
  std::string_view text;
};

template <class E>
Choice(E, const char*) -> Choice<E>;  // clang before 17 deduces none for an aggregate

/// What reading, rendering and documenting a configuration have in common. A section is described once, by a
/// function `describe(Fields&, Section&)` that names each key with its field, limits and meaning; each of the
/// three is a visitor over that description. A field holds its default before it is read, and keeps it when
/// the key is absent or wrong.
class Fields {
 public:
  virtual ~Fields() = default;

  template <std::integral T>
  void integer(const Key& key, T& value, IntegerRange range) {
    std::optional<std::int64_t> wide = static_cast<std::int64_t>(value);
    visit_integer(key, wide, clamp<T>(range));
    if (wide) value = static_cast<T>(*wide);
  }
  void integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) {
    visit_integer(key, value, range);
  }
  void number(const Key& key, std::optional<double>& value, NumberRange range) {
    visit_number(key, value, range);
  }
  void number(const Key& key, double& value, NumberRange range) {
    std::optional<double> held = value;
    visit_number(key, held, range);
    if (held) value = *held;
  }
  void flag(const Key& key, std::optional<bool>& value) { visit_flag(key, value); }
  void flag(const Key& key, bool& value) {
    std::optional<bool> held = value;
    visit_flag(key, held);
    if (held) value = *held;
  }

  void text(const Key& key, std::optional<std::string>& value) { visit_text(key, value); }
  void text(const Key& key, std::string& value) {
    std::optional<std::string> held = value;
    visit_text(key, held);
    if (held) value = std::move(*held);
  }
  /// A path; read as absolute: relative to the file it is written in, `~/` is the home folder.
  void path(const Key& key, std::optional<std::string>& value) { visit_path(key, value); }
  void path(const Key& key, std::string& value) {
    std::optional<std::string> held = value;
    visit_path(key, held);
    if (held) value = std::move(*held);
  }
  void duration(const Key& key, std::optional<std::chrono::seconds>& value, DurationRange range) {
    visit_duration(key, value, range);
  }
  void duration(const Key& key, std::chrono::seconds& value, DurationRange range) {
    std::optional<std::chrono::seconds> held = value;
    visit_duration(key, held, range);
    if (held) value = *held;
  }
  /// In bytes, written with a unit: `64GiB`.
  void size(const Key& key, std::optional<std::uint64_t>& bytes) { visit_size(key, bytes); }

  /// One of `words`; `value` is one of them that has no refusal.
  void word(const Key& key, std::string& value, std::span<const Word> words) {
    visit_word(key, value, words);
  }
  /// The same, or a duration, as render_duration() writes it.
  void word_or_duration(const Key& key, std::string& value, std::span<const Word> words,
                        DurationRange range) {
    visit_word_or_duration(key, value, words, range);
  }
  template <class E, std::size_t N>
  void choice(const Key& key, E& value, const std::array<Choice<E>, N>& choices,
              std::span<const Word> refused = {});

  void texts(const Key& key, std::vector<std::string>& values) { visit_texts(key, values); }
  void integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange each) {
    visit_integers(key, values, each);
  }
  void numbers(const Key& key, std::vector<double>& values, NumberRange each) {
    visit_numbers(key, values, each);
  }
  /// A map whose keys the user chooses.
  void text_map(const Key& key, std::map<std::string, std::string>& values) { visit_text_map(key, values); }

  /// A map of lists whose keys the user chooses, in their order. Who reads a file takes it out of the tree
  /// before the fields are read.
  void lists(const Key& key, std::vector<NamedList>& values) { visit_lists(key, values); }

  /// A list of sections; `body` takes one of them. An item that is a text alone stands for its field
  /// `single`.
  template <class S, class Body>
  void sections(const Key& key, std::string_view single, std::vector<S>& items, Body&& body) {
    visit_sections(key, {.single = single,
                         .size = items.size(),
                         .resize = [&](std::size_t size) { items.resize(size); },
                         .describe = [&](std::size_t index) { body(items.at(index)); }});
  }

  /// A key of the file format that this version does not have: its use is refused by name.
  virtual void unavailable(const Key& key) = 0;
  /// The keys of the current section are not known: no key of it is refused.
  virtual void accept_any_key() {}
  /// Whether the value of this key of the current section was read and is none that it can have.
  [[nodiscard]] virtual bool has_refused(std::string_view /*key*/) const { return false; }

  /// The fields of an alternative of the current section, whose other fields are described before. `body`
  /// runs for the chosen one, or, where the visitor asks for them, for all.
  template <class Body>
  void alternative(const Alternative& alternative, Body&& body) {
    if (!enter_alternative(alternative)) return;
    body();
    leave_alternative();
  }
  /// The sub-sections of the current section have other alternatives than those described, which only a
  /// program knows, unless `key` is `word`.
  virtual void alternatives_hold_for(std::string_view /*key*/, std::string_view /*word*/) {}

  /// The sub-section `section` of the current one may only be written with `condition`, such as "strategy:
  /// ddp". Who advises to use one of its keys says so.
  virtual void needs(std::string_view /*section*/, std::string_view /*condition*/) {}

  /// Runs `body` with the fields of the sub-section `key` as the current ones. `body` may not run when the
  /// section is unusable.
  template <class Body>
  void section(const Key& key, Body&& body) {
    if (!enter(key)) return;
    body();
    leave();
  }
  /// A sub-section that a file may leave out; `body` takes its value.
  template <class S, class Body>
  void section(const Key& key, std::optional<S>& value, Body&& body) {
    if (wants(key) && !value) value.emplace();
    if (value) return section(key, [&] { body(*value); });
    if (!describes_absent()) return;
    S absent{};
    section(key, [&] { body(absent); });
  }

 protected:
  virtual void visit_integer(const Key&, std::optional<std::int64_t>&, IntegerRange) = 0;
  virtual void visit_number(const Key&, std::optional<double>&, NumberRange) = 0;
  virtual void visit_flag(const Key&, std::optional<bool>&) = 0;
  virtual void visit_text(const Key&, std::optional<std::string>&) = 0;
  virtual void visit_path(const Key&, std::optional<std::string>&) = 0;
  virtual void visit_duration(const Key&, std::optional<std::chrono::seconds>&, DurationRange) = 0;
  virtual void visit_size(const Key&, std::optional<std::uint64_t>&) = 0;
  virtual void visit_word(const Key&, std::string&, std::span<const Word>) = 0;
  virtual void visit_word_or_duration(const Key& key, std::string& value, std::span<const Word> words,
                                      DurationRange) {
    visit_word(key, value, words);
  }
  virtual void visit_texts(const Key&, std::vector<std::string>&) = 0;
  virtual void visit_integers(const Key&, std::vector<std::int64_t>&, IntegerRange) = 0;
  virtual void visit_numbers(const Key&, std::vector<double>&, NumberRange) = 0;
  virtual void visit_text_map(const Key&, std::map<std::string, std::string>&) = 0;
  virtual void visit_lists(const Key&, std::vector<NamedList>&) = 0;
  virtual void visit_sections(const Key&, const SectionList&) = 0;
  /// Whether an optional sub-section is to be made.
  virtual bool wants(const Key&) = 0;
  /// Whether the keys of an optional sub-section that there is not are of interest.
  [[nodiscard]] virtual bool describes_absent() const { return false; }
  virtual bool enter(const Key&) = 0;
  virtual void leave() = 0;
  virtual bool enter_alternative(const Alternative& alternative) {
    return alternative.state == Alternative::State::chosen;
  }
  virtual void leave_alternative() {}

 private:
  template <std::integral T>
  static IntegerRange clamp(IntegerRange range) {
    if constexpr (sizeof(T) < sizeof(std::int64_t)) {
      range.min = std::max<std::int64_t>(range.min, std::numeric_limits<T>::min());
      range.max = std::min<std::int64_t>(range.max, std::numeric_limits<T>::max());
    } else if constexpr (std::is_unsigned_v<T>) {
      range.min = std::max<std::int64_t>(range.min, 0);
    }
    return range;
  }
};

template <class E, std::size_t N>
void Fields::choice(const Key& key, E& value, const std::array<Choice<E>, N>& choices,
                    std::span<const Word> refused) {
  std::vector<Word> words;
  std::string text;
  for (const auto& choice : choices) {
    words.push_back({choice.text, {}});
    if (choice.value == value) text = choice.text;
  }
  words.insert(words.end(), refused.begin(), refused.end());
  visit_word(key, text, words);
  for (const auto& choice : choices) {
    if (choice.text == text) value = choice.value;
  }
}

}  // namespace ddp
