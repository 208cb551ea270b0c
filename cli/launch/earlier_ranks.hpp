#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"

namespace ddp::cli {

/// Looks again and again for what is left of an earlier attempt, until there is nothing, `patience` at most,
/// and tells `seams.note` that it waits. `find` gives the processes as words: "4711", "4711 on node1". The
/// error, ExitCode::still_running, names those that are left.
[[nodiscard]] Expected<void> await_no_earlier_ranks(
    const std::function<Expected<std::vector<std::string>>()>& find, std::chrono::milliseconds patience,
    const LauncherSeams& seams);

/// How long guards and agents take at most to end what they have started, once head is gone.
inline constexpr std::chrono::seconds kEndPatience{10};

}  // namespace ddp::cli
