#include "cli/spec/sweep_schema.hpp"

#include <algorithm>

#include "cli/spec/sweep_axes.hpp"

namespace ddp::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kAnyAxis = "axis";

/// A key that may stand in a sweep.
struct SweptKey {
  std::string path;
  ordered_json axis;  ///< keywords of what stands at the key: a list of values, and of a section also a map
  enum class Kind { value, text_map, section } kind = Kind::value;
};

ordered_json reference_to(const std::string& definition) {
  return {{"$ref", "#/definitions/" + definition}};
}

std::string axis_name(const std::string& path) {
  return "axis:" + path;
}

ordered_json axis_of(ordered_json values) {
  return {{"type", "array"}, {"minItems", 1}, {"items", std::move(values)}};
}

/// "#/properties/train/properties/model" for train.model.
std::string pointer_to(const std::string& path) {
  std::string pointer = "#/properties/";
  for (const char c : path) pointer += c == '.' ? "/properties/" : std::string(1, c);
  return pointer;
}

bool is_text_map(const SchemaKey& key) {
  return key.value.contains("additionalProperties");
}

class SweptKeys {
 public:
  explicit SweptKeys(const SchemaSection& file) { add(file, {}); }

  [[nodiscard]] const std::vector<SweptKey>& list() const { return keys_; }

  /// The maps of axes that may stand in `section`; "" is the sweep itself.
  [[nodiscard]] ordered_json axes_in(const std::string& section) const {
    const std::string prefix = section.empty() ? "" : section + ".";
    ordered_json properties = ordered_json::object();
    ordered_json patterns;
    for (const SweptKey& key : keys_) {
      if (!key.path.starts_with(prefix)) continue;
      const std::string rest = key.path.substr(prefix.size());
      properties[rest] = reference_to(axis_name(key.path));
      if (key.kind == SweptKey::Kind::text_map) patterns["^" + escape(rest) + "[.]."] = text_axis();
    }
    ordered_json keywords{{"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!patterns.is_null()) keywords["patternProperties"] = std::move(patterns);
    return keywords;
  }

 private:
  static ordered_json text_axis() { return axis_of(or_null(any_text())); }

  static std::string escape(const std::string& path) {
    std::string pattern;
    for (const char c : path) pattern += c == '.' ? "[.]" : std::string(1, c);
    return pattern;
  }

  /// A map of axes, or, where the whole of it can differ between points, an axis itself.
  static ordered_json map_or_axis(const SchemaKey& key, const std::string& path) {
    ordered_json keywords{{"description", key.doc}, {"type", "object"}};
    if (!can_be_swept(path)) return keywords;
    keywords.update(axis_of({{"$ref", pointer_to(path)}}));
    keywords["type"] = {"array", "object"};
    return keywords;
  }

  void add(const SchemaSection& section, const std::string& prefix) {
    for (const SchemaKey& key : section.keys) add(key, prefix + key.name);
    std::map<std::string, std::vector<ordered_json>> options;
    for (const auto& alternative : section.alternatives) {
      for (const SchemaKey& key : alternative.keys) options[key.name].push_back(or_null(key.value));
    }
    for (const auto& [name, forms] : options) keys_.push_back({prefix + name, axis_of(any_form(forms))});
  }

  void add(const SchemaKey& key, const std::string& path) {
    if (key.section) return add_section(key, path);
    if (!can_be_swept(path)) return;
    if (is_text_map(key)) return add_text_map(key, path);
    ordered_json axis{{"description", key.doc}};
    axis.update(axis_of(or_null(key.value)));
    keys_.push_back({path, std::move(axis)});
  }

  void add_section(const SchemaKey& key, const std::string& path) {
    keys_.push_back({path, map_or_axis(key, path), SweptKey::Kind::section});
    const std::size_t before = keys_.size();
    add(*key.section, path + ".");
    if (keys_.size() == before) keys_.pop_back();
  }

  void add_text_map(const SchemaKey& key, const std::string& path) {
    ordered_json axis = map_or_axis(key, path);
    axis["additionalProperties"] = text_axis();
    keys_.push_back({path, std::move(axis), SweptKey::Kind::text_map});
  }

  std::vector<SweptKey> keys_;
};

}  // namespace

ordered_json any_sweep() {
  return {{"minProperties", 1}, {"additionalProperties", reference_to(kAnyAxis)}};
}

ordered_json known_sweep(const SchemaSection& file) {
  return SweptKeys(file).axes_in({});
}

ordered_json sweep_definitions(const SchemaSection& file) {
  const SweptKeys keys(file);
  ordered_json definitions{
      {kAnyAxis,
       {{"type", {"array", "object"}}, {"minItems", 1}, {"additionalProperties", reference_to(kAnyAxis)}}}};
  for (const SweptKey& key : keys.list()) {
    ordered_json& axis = definitions[axis_name(key.path)] = key.axis;
    if (key.kind == SweptKey::Kind::section) axis.update(keys.axes_in(key.path));
  }
  return definitions;
}

}  // namespace ddp::cli
