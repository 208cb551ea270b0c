#pragma once

#include <filesystem>
#include <string>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// The key of the folder that has the run folders.
inline constexpr const char* kRunRoot = "run_root";

/// Throws InvalidConfiguration, on all ranks, unless `sees` is true on all of them: whether this rank sees
/// `what`, which rank 0 sees and the key `key` leads to. Every rank has to read or write a part of it. A
/// collective.
void require_seen_by_all(bool sees, const std::string& what, const std::string& key, ProcessGroup& group);

/// The same for `folder`, which is there on rank 0: all ranks look for a file that rank 0 makes in it and
/// takes away again. A folder that cannot be written to is not looked at. A collective.
void require_common_folder(const std::filesystem::path& folder, ProcessGroup& group);

}  // namespace ddp::trainer
