#include "cli/rehearsal/disturbances.hpp"

#include <algorithm>
#include <random>

namespace ddp::cli {
namespace {

/// From `low` to `high`, both included. The distributions of the standard library differ between machines.
std::int64_t draw(std::mt19937_64& engine, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(high - low + 1));
}

}  // namespace

Disturbances choose_disturbances(std::uint64_t seed, std::int64_t steps, int ranks) {
  std::mt19937_64 engine(seed);
  Disturbances chosen;
  chosen.stop_step = draw(engine, std::max<std::int64_t>(1, steps * 15 / 100), steps * 35 / 100);
  chosen.kill_step = draw(engine, steps * 55 / 100, steps * 80 / 100);
  chosen.kill_rank = static_cast<int>(draw(engine, 0, ranks - 1));
  return chosen;
}

}  // namespace ddp::cli
