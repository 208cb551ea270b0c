#pragma once

#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// What is wrong with the ssh hosts of a spec, and what a run on them cannot have.
void check_ssh(const RunSpec& spec, const ConfigNode& root, Errors& errors);

/// Whether a word can be the name or the address of a host: nothing in it means more than a name to ssh or to
/// a shell.
[[nodiscard]] bool is_host_name(std::string_view text);

}  // namespace ddp::cli
