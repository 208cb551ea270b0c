#pragma once

#include <string>
#include <vector>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// Why files of a run are not read although something stands in their places: "cannot read FILE: it is a
/// FIFO, not a regular file", for a socket, a device and a folder, too; and what should be a folder. Looks at
/// the records beside the ledger, which tells of its own, and at the logs and exit records of attempt
/// `newest` (-1: there is none). Opens no file that is one.
[[nodiscard]] std::vector<std::string> find_irregular_files(const RunFolder& folder, int newest);

}  // namespace ddp::cli
