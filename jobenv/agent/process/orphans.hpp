#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace ddp::agent {

/// What a child of this subreaper has left behind: living descendants whose group was its own, or that have
/// `mark` in their environment, whatever their session, or that become another program at this moment, when
/// nobody can see their environment. `others` are children of this process that live, with
/// descendants that do not count.
[[nodiscard]] std::vector<pid_t> find_orphans(pid_t of, const std::string& mark,
                                              const std::vector<pid_t>& others);

/// "python3 (pid 4711), tee (pid 4712)"
[[nodiscard]] std::string describe_processes(const std::vector<pid_t>& processes);

}  // namespace ddp::agent
