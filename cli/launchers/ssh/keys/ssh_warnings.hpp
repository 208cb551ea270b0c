#pragma once

#include <string>
#include <vector>

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What a spec for ssh hosts says without effect, one line each.
void warn_of_ssh_keys(const RunSpec& spec, std::vector<std::string>& warnings);

}  // namespace ddp::cli
