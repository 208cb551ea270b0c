#pragma once

#include <map>
#include <string>
#include <vector>

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/fields.hpp"

namespace ddp::cli {

/// An item of a list.
struct WrittenItem {
  std::string value;  ///< as it stands in YAML
  std::string origin;
};

/// A value with the keys that lead to it.
struct WrittenField {
  std::vector<std::string> path;
  std::string value;  ///< as it stands in YAML
  std::string origin;
  std::vector<WrittenItem> items = {};  ///< of a list of texts whose items come from several lines
};

/// Collects the fields of a section, as text, in the order in which they are described. Unset values and
/// empty lists and maps are left out.
class FieldWriter final : public Fields {
 public:
  /// `origins` by dotted path, as FieldReader gives them.
  explicit FieldWriter(const std::map<std::string, Place>& origins) : origins_(origins) {}

  [[nodiscard]] std::vector<WrittenField> take_fields() { return std::move(fields_); }

  void unavailable(const Key&) override {}

 private:
  void visit_integer(const Key& key, std::optional<std::int64_t>& value, IntegerRange) override;
  void visit_number(const Key& key, std::optional<double>& value, NumberRange) override;
  void visit_flag(const Key& key, std::optional<bool>& value) override;
  void visit_text(const Key& key, std::optional<std::string>& value) override;
  void visit_path(const Key& key, std::optional<std::string>& value) override;
  void visit_duration(const Key& key, std::optional<std::chrono::seconds>& value, DurationRange) override;
  void visit_size(const Key& key, std::optional<std::uint64_t>& bytes) override;
  void visit_word(const Key& key, std::string& value, std::span<const Word>) override;
  void visit_texts(const Key& key, std::vector<std::string>& values) override;
  void visit_integers(const Key& key, std::vector<std::int64_t>& values, IntegerRange) override;
  void visit_numbers(const Key& key, std::vector<double>& values, NumberRange) override;
  void visit_text_map(const Key& key, std::map<std::string, std::string>& values) override;
  void visit_lists(const Key& key, std::vector<NamedList>& lists) override;
  void visit_sections(const Key& key, const SectionList& list) override;
  bool wants(const Key&) override { return false; }
  bool enter(const Key& key) override;
  void leave() override { path_.pop_back(); }

  void write(std::string_view key, std::string value);
  [[nodiscard]] std::string origin_of(const std::string& path) const;
  /// The fields from the one with the number `first` on, as a map on one line; takes them off.
  [[nodiscard]] std::string take_item(std::size_t first);

  const std::map<std::string, Place>& origins_;
  std::vector<std::string> path_;
  std::vector<WrittenField> fields_;
};

/// In quotes, unless YAML and every reader of it take the text alone for this text.
[[nodiscard]] std::string render_text(const std::string& text);

/// "[a, b]": a list of texts on one line.
[[nodiscard]] std::string render_texts(const std::vector<std::string>& texts);

/// A value on one line, as it may stand in a list of YAML.
[[nodiscard]] std::string render_node(const ConfigNode& node);

/// "a.b.c"
[[nodiscard]] std::string join_path(const std::vector<std::string>& path);

}  // namespace ddp::cli
