#pragma once

#include <string>

namespace ddp {

/// The path of a file of the source ("docs/cli.md"), or of the build folder ("bin/ddp-agent"). places.cpp
/// alone is compiled with these folders, so that ccache finds the tests of every clone.
[[nodiscard]] std::string source_path(const std::string& name);
[[nodiscard]] std::string build_path(const std::string& name);

}  // namespace ddp
