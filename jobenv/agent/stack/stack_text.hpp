#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What the tools print of a process, as the frames of its main thread, innermost first. Empty: it holds
/// none. Pure.
namespace ddp::agent {

using Frames = std::vector<std::string>;

/// `py-spy dump`: "    all_reduce (torch/distributed/distributed_c10d.py:3075)".
[[nodiscard]] Frames parse_py_spy(std::string_view text);
/// Python's faulthandler, of the thread that it calls the current one, else of the last one:
/// `  File "/opt/train.py", line 10 in main`. Paths are shortened as py-spy does it.
[[nodiscard]] Frames parse_faulthandler(std::string_view text);
/// `eu-stack -1`: "#2  0x00007f9447fe45d8 pthread_cond_wait@@GLIBC_2.3.2". Calls without a name are left out.
[[nodiscard]] Frames parse_eu_stack(std::string_view text);
/// `gdb -ex bt`: "#6  0x00007f93b60b1a9b in c10d::Work::wait(std::chrono::…) () from …".
[[nodiscard]] Frames parse_gdb(std::string_view text);

}  // namespace ddp::agent
