#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "trainer/strategy/all_reduce.hpp"
#include "trainer/strategy/data_parallel.hpp"
#include "trainer/strategy/fully_sharded.hpp"
#include "trainer/strategy/parameter_server.hpp"
#include "trainer/strategy/strategy.hpp"

namespace ddp::trainer {
namespace {

struct StrategyRow {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const StrategyParts&);
};

constexpr std::array kStrategies = {
    StrategyRow{"ddp", make_all_reduce},
    StrategyRow{"parameter_server", make_parameter_server},
    StrategyRow{"data_parallel", make_data_parallel},
    StrategyRow{"fsdp", make_fully_sharded},
    StrategyRow{"hsdp", make_hybrid_sharded},
};

}  // namespace

std::unique_ptr<Strategy> make_strategy(const StrategyParts& parts) {
  const auto* row = std::ranges::find(kStrategies, parts.config.strategy.name, &StrategyRow::name);
  if (row == kStrategies.end())
    throw std::logic_error("no strategy is named '" + parts.config.strategy.name + "'");
  return row->make(parts);
}

}  // namespace ddp::trainer
