#pragma once

#include "jobenv/config/config_node.hpp"
#include "jobenv/config/text_keys.hpp"

namespace ddp::cli {

/// The keys of a run that take text of several lines: it is an argument of the program as it is, or lines of
/// shell.
inline constexpr TextKey kTextKeys[] = {
    {"command", "\n\t"}, {"notify.command", "\n\t"}, {"environment.setup", "\n"}, {"slurm.setup", "\n"}};

/// Makes an item of each line of the set-up texts, with its place. Blank lines and comments stay: a here
/// document may hold them.
void split_setup_lines(ConfigNode& root);

}  // namespace ddp::cli
