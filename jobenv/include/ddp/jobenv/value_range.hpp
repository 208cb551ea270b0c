#pragma once

#include <cstdint>
#include <limits>

namespace ddp {

/// The integers that a configuration accepts, both ends included.
struct IntegerRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

enum class Bound { inclusive, exclusive };

struct NumberRange {
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
  Bound min_bound = Bound::inclusive;
  Bound max_bound = Bound::inclusive;
};

}  // namespace ddp
