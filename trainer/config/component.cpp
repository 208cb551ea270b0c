#include "ddp/trainer/component.hpp"

#include <array>
#include <stdexcept>

namespace ddp::trainer {
namespace {

/// In the order of OptionValue.
constexpr std::array kTypes = {
    "bool", "std::int64_t", "double", "std::string", "std::vector<std::int64_t>", "std::vector<double>"};
static_assert(kTypes.size() == std::variant_size_v<OptionValue>);

}  // namespace

const OptionValue& Component::option(const std::string& key) const {
  const auto found = options.find(key);
  if (found == options.end()) throw std::out_of_range("'" + name + "' has no option '" + key + "'");
  return found->second;
}

void Component::refuse_type(const std::string& key) const {
  throw std::logic_error("the option '" + key + "' of '" + name + "' is read with get<" +
                         kTypes.at(option(key).index()) + ">");
}

}  // namespace ddp::trainer
