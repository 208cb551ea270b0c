#pragma once

#include <string>
#include <vector>

#include "ddp/jobenv/env_map.hpp"

namespace ddp {

/// Of an environment that has no PATH.
inline constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

/// The files that `argv0` can mean: itself when it holds a slash, else one for each folder of `path`.
[[nodiscard]] std::vector<std::string> find_programs(const std::string& argv0, const std::string& path);

/// Programs in `folder` can be named, but never hide another of that name.
void append_to_path(EnvMap& environment, const std::string& folder);

}  // namespace ddp
