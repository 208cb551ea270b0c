#pragma once

#include <span>
#include <string_view>

namespace ddp {

/// A key under a name that another tool gives it.
struct ForeignKey {
  std::string_view name;    ///< with '_' between its words
  std::string_view key;     ///< dotted path of the key here; empty: none takes the same value
  std::string_view advice;  ///< what to write
};
using ForeignKeys = std::span<const ForeignKey>;

}  // namespace ddp
