#include "cli/spec/schema_section.hpp"

#include <algorithm>
#include <iterator>

namespace ddp::cli {
namespace {

using nlohmann::ordered_json;

ordered_json with_doc(const std::string& doc, const ordered_json& keywords) {
  ordered_json described{{"description", doc}};
  described.update(keywords);
  return described;
}

/// A map that has these keys and no others.
ordered_json closed_map(ordered_json properties) {
  return {{"properties", std::move(properties)}, {"additionalProperties", false}};
}

/// `known` names keys that are described elsewhere.
void add_known(const std::vector<SchemaKey>& known, ordered_json& properties) {
  for (const SchemaKey& key : known) properties[key.name] = true;
}

ordered_json render_key(const SchemaKey& key);

ordered_json render_alternative(const SchemaSection& section, const SchemaAlternative& alternative) {
  ordered_json properties;
  add_known(section.keys, properties);
  for (const SchemaKey& key : alternative.keys) properties[key.name] = render_key(key);
  return {
      {"if",
       {{"required", {section.choice}}, {"properties", {{section.choice, {{"const", alternative.word}}}}}}},
      {"then", closed_map(std::move(properties))}};
}

/// The keys of all alternatives: another file, or the command line, may say which one it is.
ordered_json render_unchosen(const SchemaSection& section) {
  std::map<std::string, std::vector<ordered_json>> options;
  ordered_json words = ordered_json::array();
  ordered_json properties;
  add_known(section.keys, properties);
  for (const SchemaAlternative& alternative : section.alternatives) {
    words.push_back(alternative.word);
    for (const SchemaKey& key : alternative.keys) {
      options[key.name].push_back(render_key(key));
      properties[key.name] = nullptr;
    }
  }
  for (const auto& [name, forms] : options) properties[name] = any_form(forms);
  const ordered_json chosen{{"required", {section.choice}},
                            {"properties", {{section.choice, {{"enum", std::move(words)}}}}}};
  return {{"if", {{"not", chosen}}}, {"then", closed_map(std::move(properties))}};
}

/// What the alternatives add to a section: the words of `choice`, and the keys that each of them brings.
ordered_json render_alternatives(const SchemaSection& section) {
  const auto choice = std::ranges::find(section.keys, section.choice, &SchemaKey::name);
  ordered_json word = or_null(choice->value);
  for (const auto& alternative : section.alternatives) word["enumDescriptions"].push_back(alternative.doc);
  word["enumDescriptions"].push_back("the default");
  ordered_json all = ordered_json::array();
  for (const auto& alternative : section.alternatives)
    all.push_back(render_alternative(section, alternative));
  all.push_back(render_unchosen(section));
  return {{"properties", {{section.choice, std::move(word)}}}, {"allOf", std::move(all)}};
}

/// Of a section with alternatives: what it has in any case. Further keys are not refused.
ordered_json render_fixed_part(const SchemaSection& section) {
  ordered_json properties;
  for (const SchemaKey& key : section.keys) {
    const bool is_choice = key.name == section.choice;
    properties[key.name] = is_choice ? with_doc(key.doc, or_null(any_text())) : render_key(key);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

bool has_alternatives(const SchemaKey& key) {
  return key.section && !key.section->alternatives.empty();
}

/// `is_conditional`: whether its alternatives are described by the section that it lies in.
ordered_json render_key(const SchemaKey& key, bool is_conditional) {
  if (!key.section) return with_doc(key.doc, or_null(key.value));
  if (is_conditional) return with_doc(key.doc, or_null(render_fixed_part(*key.section)));
  return with_doc(key.doc, or_null(render_section(*key.section)));
}

ordered_json render_key(const SchemaKey& key) {
  return render_key(key, false);
}

ordered_json render_plain_section(const SchemaSection& section) {
  ordered_json properties = ordered_json::object();
  ordered_json alternatives;
  for (const SchemaKey& key : section.keys) {
    const bool is_conditional = section.condition && has_alternatives(key);
    properties[key.name] = render_key(key, is_conditional);
    if (is_conditional) alternatives[key.name] = render_alternatives(*key.section);
  }
  ordered_json keywords{{"type", "object"}};
  keywords.update(closed_map(std::move(properties)));
  if (!section.condition) return keywords;
  keywords["if"] = render_condition(*section.condition);
  keywords["else"] = {{"properties", std::move(alternatives)}};
  return keywords;
}

}  // namespace

ordered_json render_section(const SchemaSection& section) {
  if (section.alternatives.empty()) return render_plain_section(section);
  ordered_json keywords = render_fixed_part(section);
  keywords["allOf"] = ordered_json::array({render_alternatives(section)});
  return keywords;
}

ordered_json render_condition(const SchemaSection::Condition& condition) {
  return {{"type", "object"},
          {"required", {condition.key}},
          {"properties", {{condition.key, {{"not", {{"enum", {condition.word, nullptr}}}}}}}}};
}

ordered_json or_null(ordered_json keywords) {
  if (keywords.contains("enum")) {
    keywords["enum"].push_back(nullptr);
  } else if (keywords.contains("anyOf")) {
    keywords["anyOf"].push_back({{"type", "null"}});
  } else {
    ordered_json& type = keywords["type"];
    if (!type.is_array()) type = ordered_json::array({type});
    type.push_back("null");
  }
  return keywords;
}

ordered_json any_form(const std::vector<ordered_json>& forms) {
  std::vector<ordered_json> different;
  for (const ordered_json& form : forms) {
    if (std::ranges::find(different, form) == different.end()) different.push_back(form);
  }
  return different.size() == 1 ? different.front() : ordered_json{{"anyOf", different}};
}

ordered_json any_text() {
  return {{"type", {"string", "number", "boolean"}}};
}

}  // namespace ddp::cli
