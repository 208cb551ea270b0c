#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ddp::cli {

struct SchemaSection;

/// A key as a JSON Schema describes it.
struct SchemaKey {
  std::string name;
  std::string doc;
  nlohmann::ordered_json value;                  ///< keywords of its value, which is not null
  std::shared_ptr<const SchemaSection> section;  ///< of a sub-section; `value` is then empty
};

struct SchemaAlternative {
  std::string word;
  std::string doc;
  std::vector<SchemaKey> keys;
};

/// All keys of a section, and those that it has with one word of `choice` only.
struct SchemaSection {
  std::vector<SchemaKey> keys;
  std::string choice;
  std::vector<SchemaAlternative> alternatives;
  /// The alternatives of the sub-sections hold only while `key` is `word`.
  struct Condition {
    std::string key;
    std::string word;
  };
  std::optional<Condition> condition;
};

/// The keywords of a section that is there.
[[nodiscard]] nlohmann::ordered_json render_section(const SchemaSection& section);

/// Of a section with a condition: what is true while the alternatives do not hold.
[[nodiscard]] nlohmann::ordered_json render_condition(const SchemaSection::Condition& condition);

/// `keywords`, of a value that may also be null: its default counts.
[[nodiscard]] nlohmann::ordered_json or_null(nlohmann::ordered_json keywords);

/// What fits at least one of the forms that a key has; equal ones count once.
[[nodiscard]] nlohmann::ordered_json any_form(const std::vector<nlohmann::ordered_json>& forms);

/// A text. What YAML takes for a number or a flag is one, too, where a text is expected.
[[nodiscard]] nlohmann::ordered_json any_text();

}  // namespace ddp::cli
