#pragma once

#include <filesystem>
#include <vector>

namespace ddp::cli {

/// Which checkpoints of a run are wanted.
enum class WantedCheckpoints { newest, all };

/// The folders of the checkpoints that `place` stands for: a checkpoint itself, a file LATEST or BEST, the
/// checkpoints of a run or its run folder. With `all`, every one of a run, the newest first, even if it is
/// damaged. Empty: there is none.
[[nodiscard]] std::vector<std::filesystem::path> find_checkpoints(const std::filesystem::path& place,
                                                                  WantedCheckpoints wanted);

}  // namespace ddp::cli
