#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// Names of variables for one line of talk: "RANK, SLURM_JOB_ID, SLURM_NODELIST and 12 more". The first few,
/// and only how many others there are; a name that looks like that of a secret is always among the others.
/// `names` is not empty.
[[nodiscard]] std::string summarize_names(const std::vector<std::string>& names);

}  // namespace ddp::cli
