#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddp {

/// `low-high` in brackets; numbers are padded with zeros to `width` digits.
struct NumberRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::size_t width = 1;
};

/// One element of a host list: literals[0] groups[0] literals[1] … literals[n].
struct HostPattern {
  std::vector<std::string> literals;
  std::vector<std::vector<NumberRange>> groups;

  /// How many names it stands for; a number over `limit` when they are more than that.
  [[nodiscard]] std::size_t count(std::size_t limit) const;

  /// The length of its longest name.
  [[nodiscard]] std::size_t longest() const;

  /// Appends the names to `hosts`.
  void expand_into(std::vector<std::string>& hosts) const;
};

}  // namespace ddp
