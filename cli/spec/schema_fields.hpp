#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/spec/schema_section.hpp"
#include "jobenv/config/fields.hpp"

namespace ddp::cli {

/// Collects the description of a section for a JSON Schema.
class SchemaFields final : public Fields {
 public:
  SchemaFields();

  [[nodiscard]] SchemaSection take_section() { return std::move(*open_.front().section); }

  void unavailable(const Key&) override {}
  void alternatives_hold_for(std::string_view key, std::string_view word) override;

 private:
  using json = nlohmann::ordered_json;

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
  void leave() override;
  bool enter_alternative(const Alternative& alternative) override;
  void leave_alternative() override { keys_ = &open_.back().section->keys; }

  void add(const Key& key, json value);
  void add(const Key& key, json value, json default_value);
  void open(const Key& key);
  /// The current section, which ends.
  SchemaKey close();

  struct OpenSection {
    std::string name;
    std::string doc;
    std::shared_ptr<SchemaSection> section;
  };
  std::vector<OpenSection> open_;           ///< from the whole file to the current section
  std::vector<SchemaKey>* keys_ = nullptr;  ///< where keys are added: the section, or an alternative
};

}  // namespace ddp::cli
