#include "trainer/config/schema_fault.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "trainer/config/train_fields.hpp"

namespace ddp::trainer {
namespace {

bool accepts(const IntegerRange& range, std::int64_t value) {
  return value >= range.min && value <= range.max;
}

bool accepts(const NumberRange& range, double value) {
  const bool above = range.min_bound == Bound::inclusive ? value >= range.min : value > range.min;
  const bool below = range.max_bound == Bound::inclusive ? value <= range.max : value < range.max;
  return above && below;
}

/// Whether the option would take its own default from a file.
struct DefaultCheck {
  const OptionSchema& option;

  bool operator()(bool /*value*/) const { return true; }
  bool operator()(std::int64_t value) const { return accepts(option.integers, value); }
  bool operator()(double value) const { return accepts(option.numbers, value); }
  bool operator()(const std::string& value) const {
    return option.words.empty() || std::ranges::find(option.words, value) != option.words.end();
  }
  template <class T>
  bool operator()(const std::vector<T>& values) const {
    return std::ranges::all_of(values, *this);
  }
};

bool is_finite(const OptionSchema& option) {
  if (!std::isfinite(option.numbers.min) || !std::isfinite(option.numbers.max)) return false;
  if (const auto* number = std::get_if<double>(&option.default_value)) return std::isfinite(*number);
  const auto* numbers = std::get_if<std::vector<double>>(&option.default_value);
  return numbers == nullptr || std::ranges::all_of(*numbers, [](double x) { return std::isfinite(x); });
}

std::optional<std::string> fault_of(const ComponentSchema& schema, std::set<std::string> taken) {
  for (const OptionSchema& option : schema.options) {
    const auto fault = [&](const std::string& what) {
      return "the option '" + option.key + "' of the component '" + schema.name + "' " + what;
    };
    if (option.key.empty()) return fault("has no name");
    if (taken.contains(option.key)) return fault("has the name of another key of its section");
    taken.insert(option.key);
    if (!is_finite(option)) return fault("has a limit or a default that is not finite");
    if (!std::visit(DefaultCheck{option}, option.default_value))
      return fault("has a default that is not a valid value");
  }
  return std::nullopt;
}

std::optional<std::string> fault_of(const std::vector<ComponentSchema>& table,
                                    const std::set<std::string>& section_keys) {
  for (const ComponentSchema& schema : table) {
    if (schema.name.empty()) return "a component has no name";
    if (auto fault = fault_of(schema, section_keys)) return fault;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_schema_fault(const ComponentSchemas& schemas) {
  if (const auto twice = find_name_used_twice(schemas)) return "two components are named '" + *twice + "'";
  const SectionKeys keys = section_keys();
  if (auto fault = fault_of(schemas.models, keys.model)) return fault;
  if (auto fault = fault_of(schemas.datasets, keys.data)) return fault;
  if (auto fault = fault_of(schemas.optimizers, keys.optimizer)) return fault;
  if (auto fault = fault_of(schemas.schedules, keys.schedule)) return fault;
  if (auto fault = fault_of(schemas.losses, keys.loss)) return fault;
  return fault_of(schemas.strategies, {});
}

}  // namespace ddp::trainer
