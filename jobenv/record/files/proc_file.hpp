#pragma once

#include <string>

namespace ddp {

/// The text of a file of /proc, which has no size and is read until its end. Empty where it cannot be read;
/// the process that it is of may end between the open and the read.
[[nodiscard]] std::string load_proc_file(const std::string& path);

}  // namespace ddp
