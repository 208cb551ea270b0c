#include "host_pattern.hpp"

#include <algorithm>

namespace ddp {
namespace {

std::string padded(std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

std::vector<std::string> numbers_of(const std::vector<NumberRange>& group) {
  std::vector<std::string> numbers;
  for (const NumberRange& range : group) {
    for (std::int64_t number = range.low; number <= range.high; ++number) {
      numbers.push_back(padded(number, range.width));
    }
  }
  return numbers;
}

/// Counts through all choices, one number a group. The last group turns fastest, then the first, the second,
/// and so on: the order of `scontrol show hostnames`.
class Odometer {
 public:
  explicit Odometer(std::vector<std::size_t> sizes) : sizes_(std::move(sizes)), digits_(sizes_.size(), 0) {}

  [[nodiscard]] std::size_t digit(std::size_t group) const { return digits_[group]; }

  /// False when it is back at the start.
  bool advance() {
    for (std::size_t turn = 0; turn < digits_.size(); ++turn) {
      const std::size_t group = turn == 0 ? digits_.size() - 1 : turn - 1;
      if (++digits_[group] < sizes_[group]) return true;
      digits_[group] = 0;
    }
    return false;
  }

 private:
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> digits_;
};

}  // namespace

std::size_t HostPattern::count(std::size_t limit) const {
  std::size_t total = 1;
  for (const auto& group : groups) {
    std::size_t numbers = 0;
    for (const NumberRange& range : group) {
      const auto size = static_cast<std::size_t>(range.high - range.low) + 1;
      if (size > limit - std::min(limit, numbers)) return limit + 1;
      numbers += size;
    }
    if (numbers > limit / total) return limit + 1;
    total *= numbers;
  }
  return total;
}

std::size_t HostPattern::longest() const {
  std::size_t length = 0;
  for (const std::string& literal : literals) length += literal.size();
  for (const auto& group : groups) {
    std::size_t digits = 0;
    for (const NumberRange& range : group) {
      digits = std::max({digits, range.width, std::to_string(range.high).size()});
    }
    length += digits;
  }
  return length;
}

void HostPattern::expand_into(std::vector<std::string>& hosts) const {
  std::vector<std::vector<std::string>> numbers;
  std::vector<std::size_t> sizes;
  for (const auto& group : groups) {
    numbers.push_back(numbers_of(group));
    sizes.push_back(numbers.back().size());
  }
  Odometer odometer(sizes);
  do {
    std::string name = literals.front();
    for (std::size_t group = 0; group < groups.size(); ++group) {
      name += numbers[group][odometer.digit(group)];
      name += literals[group + 1];
    }
    hosts.push_back(std::move(name));
  } while (odometer.advance());
}

}  // namespace ddp
