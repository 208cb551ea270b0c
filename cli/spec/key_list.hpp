#pragma once

#include <string>
#include <vector>

#include "jobenv/config/fields.hpp"

namespace ddp::cli {

/// What the value of a key is.
enum class KeyType { number, flag, text, path, time, size, word, list, map };

/// A key as the reference tells it.
struct KeyRow {
  std::string path;                     ///< dotted; `[]` stands for each item of a list
  std::string values;                   ///< "integer, 1 to 8"
  std::string default_value;            ///< empty: there is none
  std::string doc;                      ///< one line
  KeyType type = KeyType::text;         ///< of the value
  std::vector<std::string> words = {};  ///< that the value can be, of a word or a flag
};

/// A section of keys.
struct KeySection {
  std::string path;  ///< dotted
  std::string doc;   ///< one line
};

/// Collects the keys of a description, those of sections that a file may leave out, too.
class KeyList final : public Fields {
 public:
  [[nodiscard]] const std::vector<KeyRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<KeySection>& sections() const { return sections_; }
  [[nodiscard]] std::vector<KeyRow> take_rows() { return std::move(rows_); }

  void unavailable(const Key&) override {}

 private:
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
  void visit_lists(const Key& key, std::vector<NamedList>& lists) override;
  void visit_sections(const Key& key, const SectionList& list) override;
  bool wants(const Key&) override { return false; }
  [[nodiscard]] bool describes_absent() const override { return true; }
  bool enter(const Key& key) override;
  void leave() override { path_.pop_back(); }

  KeyRow& add(const Key& key, KeyType type, std::string values, std::string value);
  [[nodiscard]] std::string path_to(std::string_view key) const;

  std::vector<std::string> path_;
  std::vector<KeyRow> rows_;
  std::vector<KeySection> sections_;
};

}  // namespace ddp::cli
