#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/spec/key_list.hpp"

namespace ddp::cli {

/// The name of the component in each section of `train` that has one, such as train.model. A section that is
/// absent here: any component.
using ChosenComponents = std::map<std::string, std::string, std::less<>>;

/// A component of a training, and the keys that it has besides `name`.
struct ComponentKeys {
  std::string section;  ///< train.model
  std::string name;
  std::string doc;
  std::vector<KeyRow> rows;
};

/// Every key that all configurations have, in canonical order, with the sections.
[[nodiscard]] KeyList common_keys();

/// Of ddptrain's models, datasets, optimizers, schedules and losses, in this order.
[[nodiscard]] std::vector<ComponentKeys> component_keys();

/// common_keys() and those of the components that are chosen; where the component is not known, of all there
/// are.
[[nodiscard]] std::vector<KeyRow> all_keys(const ChosenComponents& chosen);

}  // namespace ddp::cli
