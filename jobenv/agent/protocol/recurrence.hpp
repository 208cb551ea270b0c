#pragma once

#include <string_view>

namespace ddp::agent {

/// Whether a further attempt would fail in the same way.
enum class Recurrence {
  possible,
  certain,  ///< a program that cannot be started, a configuration that it refuses
};
[[nodiscard]] inline std::string_view name_of(Recurrence recurrence) {
  return recurrence == Recurrence::certain ? "certain" : "possible";
}

}  // namespace ddp::agent
