#include "trainer/config/schema_json.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "jobenv/record/fields/json_text.hpp"

namespace ddp::trainer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kSchema = "ddp.components.v1";
constexpr std::array<const char*, std::variant_size_v<OptionValue>> kTypeNames = {
    "flag", "integer", "number", "text", "integers", "numbers"};

ordered_json render_bound(double value, Bound bound) {
  return {{"value", value}, {"exclusive", bound == Bound::exclusive}};
}

ordered_json render(const OptionSchema& option) {
  ordered_json value = {{"key", option.key}, {"type", kTypeNames.at(option.default_value.index())}};
  std::visit([&](const auto& held) { value["default"] = held; }, option.default_value);
  value["doc"] = option.doc;
  value["integers"] = {option.integers.min, option.integers.max};
  value["numbers"] = {render_bound(option.numbers.min, option.numbers.min_bound),
                      render_bound(option.numbers.max, option.numbers.max_bound)};
  value["words"] = option.words;
  for (const RefusedWord& refused : option.refused_words)
    value["refused_words"][refused.word] = refused.reason;
  value["path"] = option.text != OptionSchema::Text::plain;
  value["required"] = option.text == OptionSchema::Text::required_path;
  return value;
}

ordered_json render(const ComponentSchema& schema) {
  ordered_json options = ordered_json::array();
  for (const OptionSchema& option : schema.options) options.push_back(render(option));
  return {{"name", schema.name}, {"doc", schema.doc}, {"options", std::move(options)}};
}

template <std::size_t... Index>
OptionValue parse_value(const json& option, std::index_sequence<Index...> /*alternatives*/) {
  const auto type = option.at("type").get<std::string>();
  std::optional<OptionValue> value;
  ((type == kTypeNames[Index]
        ? void(value = option.at("default").get<std::variant_alternative_t<Index, OptionValue>>())
        : void()),
   ...);
  if (!value) throw std::invalid_argument("unknown option type '" + type + "'");
  return *value;
}

std::pair<double, Bound> parse_bound(const json& bound) {
  return {bound.at("value").get<double>(),
          bound.at("exclusive").get<bool>() ? Bound::exclusive : Bound::inclusive};
}

OptionSchema::Text parse_text(const json& option) {
  if (!option.at("path").get<bool>()) return OptionSchema::Text::plain;
  return option.at("required").get<bool>() ? OptionSchema::Text::required_path : OptionSchema::Text::path;
}

/// Of most options there are none, and then there is no such field.
std::vector<RefusedWord> parse_refused_words(const json& option) {
  std::vector<RefusedWord> words;
  const json refused = option.value("refused_words", json::object());
  for (const auto& [word, reason] : refused.items()) words.push_back({word, reason.get<std::string>()});
  return words;
}

OptionSchema parse_option(const json& option) {
  const auto [min, min_bound] = parse_bound(option.at("numbers").at(0));
  const auto [max, max_bound] = parse_bound(option.at("numbers").at(1));
  return {.key = option.at("key"),
          .default_value = parse_value(option, std::make_index_sequence<std::variant_size_v<OptionValue>>{}),
          .doc = option.at("doc"),
          .integers = {option.at("integers").at(0), option.at("integers").at(1)},
          .numbers = {min, max, min_bound, max_bound},
          .words = option.at("words"),
          .refused_words = parse_refused_words(option),
          .text = parse_text(option)};
}

ComponentSchema parse_component(const json& component) {
  ComponentSchema schema{.name = component.at("name"), .doc = component.at("doc"), .options = {}};
  for (const json& option : component.at("options")) schema.options.push_back(parse_option(option));
  return schema;
}

}  // namespace

std::string render_schemas(const ComponentSchemas& schemas) {
  ordered_json value = {{"schema", kSchema}};
  for (const auto& [name, table] : kComponentTables) {
    ordered_json& list = value[name] = ordered_json::array();
    for (const ComponentSchema& schema : schemas.*table) list.push_back(render(schema));
  }
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Expected<ComponentSchemas> parse_schemas(std::string_view text) {
  const json value = parse_json(text);
  if (!value.is_object() || value.value("schema", json()) != kSchema)
    return fail(ExitCode::config_invalid, std::string("this is not ") + kSchema);
  try {
    ComponentSchemas schemas;
    for (const auto& [name, table] : kComponentTables) {
      for (const json& component : value.at(name)) (schemas.*table).push_back(parse_component(component));
    }
    return schemas;
  } catch (const std::exception& error) {
    return fail(ExitCode::config_invalid, error.what());
  }
}

}  // namespace ddp::trainer
