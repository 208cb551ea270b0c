#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/fields.hpp"
#include "jobenv/config/foreign_key.hpp"
#include "jobenv/config/list_form.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp {

/// Reads fields from a ConfigNode tree. Adds every error to `errors` and goes on, so that one pass finds them
/// all; a field that is absent, null or wrong keeps its default. Unknown keys are errors that `finish` adds,
/// when the keys of all sections are known.
class FieldReader final : public Fields {
 public:
  /// `root` is a map and outlives the reader. `home` is what `~/` stands for in paths; empty: such paths are
  /// errors. `foreign`: names of other tools, to advise on unknown keys.
  FieldReader(const ConfigNode& root, std::string home, Errors& errors, ForeignKeys foreign = {});

  /// An unknown key, and the key that it is probably meant to be.
  struct Misspelling {
    std::string path;   ///< dotted
    std::string meant;  ///< dotted
    Error error;
  };

  /// Reports the unknown keys. Who reads only some sections of a file calls accept_any_key first.
  void finish();

  /// Where each value that was read is written, by dotted path, and each item of a list of texts, by
  /// item_path.
  [[nodiscard]] const std::map<std::string, Place>& origins() const { return origins_; }

  /// Of the unknown keys that finish() has reported: those that are near to one key.
  [[nodiscard]] const std::vector<Misspelling>& misspellings() const { return misspellings_; }

  void unavailable(const Key& key) override;
  void accept_any_key() override { sections_.back().accepts_any = true; }
  [[nodiscard]] bool has_refused(std::string_view key) const override;
  void alternatives_hold_for(std::string_view key, std::string_view word) override;
  void needs(std::string_view section, std::string_view condition) override;

 private:
  struct Section {
    const ConfigNode* node;  ///< nullptr: the section is absent
    std::string path;        ///< empty, or ends with '.'
    std::vector<std::string> known = {};
    std::vector<std::string> unavailable = {};
    std::vector<std::string> refused = {};  ///< keys whose value is none of their words, or of another kind
    bool accepts_any = false;
    bool has_other_alternatives = false;  ///< than those that are described, in its sub-sections
  };
  struct UnknownKey {
    const ConfigNode::Entry* entry;
    std::string section;             ///< empty, or ends with '.'
    std::vector<std::string> known;  ///< in its section
  };
  struct Advice {
    std::string hint;
    std::string meant;  ///< dotted path; empty: it is not known which key
  };
  using Entry = ConfigNode::Entry;

  void visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange range) override;
  void visit_number(const Key& key, std::optional<double>& value, NumberRange range) override;
  void visit_flag(const Key& key, std::optional<bool>& value) override;
  void visit_text(const Key& key, std::optional<std::string>& value) override;
  void visit_path(const Key& key, std::optional<std::string>& value) override;
  void visit_duration(const Key& key, std::optional<std::chrono::seconds>& value,
                      DurationRange range) override;
  void visit_size(const Key& key, std::optional<std::uint64_t>& bytes) override;
  void visit_word(const Key& key, std::string& value, std::span<const Word> words) override;
  void visit_word_or_duration(const Key& key, std::string& value, std::span<const Word> words,
                              DurationRange range) override;
  void visit_texts(const Key& key, std::vector<std::string>& values) override;
  void visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange each) override;
  void visit_numbers(const Key& key, std::vector<double>& values, NumberRange each) override;
  void visit_text_map(const Key& key, std::map<std::string, std::string>& values) override;
  void visit_lists(const Key& key, std::vector<NamedList>&) override { look_up(key); }
  void visit_sections(const Key& key, const SectionList& list) override;
  bool wants(const Key& key) override;
  [[nodiscard]] bool describes_absent() const override { return true; }
  bool enter(const Key& key) override;
  void leave() override;
  bool enter_alternative(const Alternative& alternative) override;

  /// The entry of `key`, which is known from here on; nullptr when it is absent or null.
  const Entry* look_up(const Key& key);
  /// The same, when it is of this kind; another kind is an error that asks for `what`.
  const Entry* take(const Key& key, ConfigNode::Kind kind, const std::string& what);
  /// The same of a list.
  const Entry* take_list(const Key& key, ListOf items, const std::string& what);
  /// Whether it is of this kind; then it is noted where it is written.
  bool accept(const Entry& entry, ConfigNode::Kind kind);
  void refuse_kind(const Entry& entry, const std::string& what, std::string hint);
  /// What to write in place of a value that should be a list.
  static std::string advise_on_list(const Key& key, const Entry& entry, ListOf items);
  /// The map that an item of a list of sections is, or stands for; nullptr: it is neither.
  const ConfigNode* section_of(const Key& key, const ConfigNode& item, std::string_view single);
  /// Asked last of a value that is good but for its quotes: they are an error.
  bool is_unquoted(const ConfigNode& node, const std::string& subject, const std::string& what);
  /// Whether an item of a list of texts is one of the words of `key`; another one is an error.
  bool is_one_of(const Key& key, const ConfigNode& item);
  std::optional<std::int64_t> read_integer(const std::string& subject, const ConfigNode& node,
                                           IntegerRange range);
  std::optional<double> read_number(const std::string& subject, const ConfigNode& node,
                                    const NumberRange& range);
  std::optional<std::chrono::seconds> read_duration(const Entry& entry, const std::string& what,
                                                    DurationRange range);
  std::optional<std::string> resolve_path(const ConfigNode& node);
  void collect_unknown(const Section& section);
  void report_unknown(const UnknownKey& unknown);
  [[nodiscard]] Advice advise_on_unknown(const UnknownKey& unknown) const;
  static std::string find_here(const UnknownKey& unknown, const std::string& name);
  [[nodiscard]] std::string find_anywhere(const std::string& name) const;
  void refuse(const ConfigNode& node, const std::string& subject, const std::string& what, std::string hint);

  std::vector<Section> sections_;
  std::deque<ConfigNode> made_;  ///< maps that stand for items which are texts
  std::vector<UnknownKey> unknown_;
  std::vector<Misspelling> misspellings_;
  std::vector<std::string> known_paths_;  ///< of every key described so far
  Conditions conditions_;
  std::string home_;
  Errors& errors_;
  ForeignKeys foreign_;
  std::map<std::string, Place> origins_;
};

/// "setup[0]": the first item of the list `setup`.
[[nodiscard]] std::string item_path(const std::string& list, std::size_t index);

}  // namespace ddp
