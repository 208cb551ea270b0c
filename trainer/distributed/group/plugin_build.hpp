#pragma once

#include <cstdint>

namespace ddp::trainer {

/// What the table of a plug-in says first, and what this program expects of it.
struct PluginBuild {
  std::uint32_t version;
  std::uint32_t size;  ///< bytes
};

/// Throws std::runtime_error unless the plug-in `file` is of the build of this program.
void require_same_build(const char* file, const PluginBuild& found, const PluginBuild& expected);

/// Throws it because of `what`.
[[noreturn]] void refuse_build(const char* file, const char* what);

}  // namespace ddp::trainer
