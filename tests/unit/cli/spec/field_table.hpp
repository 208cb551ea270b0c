#pragma once

#include <string>
#include <vector>

#include "jobenv/config/fields.hpp"

namespace ddp::cli {

/// Writes the description of a section as rows of a Markdown table: key, values, default, meaning.
class FieldTable final : public Fields {
 public:
  [[nodiscard]] std::vector<std::string> take_rows() { return std::move(rows_); }

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

  void add(const Key& key, const std::string& values, const std::string& value);

  std::vector<std::string> path_;
  std::vector<std::string> rows_;
};

}  // namespace ddp::cli
