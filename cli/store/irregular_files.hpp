#pragma once

#include <string>
#include <vector>

#include "jobenv/record/run_folder.hpp"

namespace ddp::cli {

/// What stands in the places of files and folders of a run or a sweep and is none: "cannot read FILE: it is a
/// FIFO, not a regular file", "cannot list FOLDER: it is not a folder". Looks at all records but the files of
/// the ledger, which tells of its own, and the points of a sweep; of attempts at `newest` alone (-1: there is
/// none).
[[nodiscard]] std::vector<std::string> find_irregular_files(const RunFolder& folder, int newest);

}  // namespace ddp::cli
