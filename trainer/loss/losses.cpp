#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "trainer/loss/cross_entropy.hpp"
#include "trainer/loss/loss.hpp"

namespace ddp::trainer {
namespace {

struct LossRow {
  std::string_view name;
  Loss (*make)(const Component&);
};

constexpr std::array kLosses = {
    LossRow{"cross_entropy", make_cross_entropy},
};

}  // namespace

Loss make_loss(const Component& loss) {
  const auto* row = std::ranges::find(kLosses, loss.name, &LossRow::name);
  if (row == kLosses.end()) throw std::logic_error("no loss is named '" + loss.name + "'");
  return row->make(loss);
}

}  // namespace ddp::trainer
