#pragma once

#include <filesystem>
#include <string>

#include "ddp/trainer/process_group.hpp"

namespace ddp::trainer {

/// Throws InvalidConfiguration, on all ranks, unless `sees` is true on all of them: whether this rank sees
/// `what`, that rank 0 sees. Every rank has to read or write a part of it. A collective.
void require_seen_by_all(bool sees, const std::string& what, ProcessGroup& group);

/// The same for `folder`, which is there on rank 0: all ranks look for a file that rank 0 makes in it and
/// takes away again. A folder that cannot be written to is not looked at. A collective.
void require_common_folder(const std::filesystem::path& folder, ProcessGroup& group);

}  // namespace ddp::trainer
