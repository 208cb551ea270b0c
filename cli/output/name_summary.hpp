#pragma once

#include <string>
#include <vector>

namespace ddp::cli {

/// Names of variables for one line of talk: "MASTER_ADDR, RANK, SLURM_* (43) and 1 more". Of three and more
/// that begin alike only how many there are, and of names that look like that of a secret. Sorted names,
/// please; `names` is not empty.
[[nodiscard]] std::string summarize_names(const std::vector<std::string>& names);

}  // namespace ddp::cli
