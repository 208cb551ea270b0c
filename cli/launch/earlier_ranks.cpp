#include "cli/launch/earlier_ranks.hpp"

#include <fmt/ranges.h>

namespace ddp::cli {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

}  // namespace

Expected<void> await_no_earlier_ranks(const std::function<Expected<std::vector<std::string>>()>& find,
                                      std::chrono::milliseconds patience, const LauncherSeams& seams) {
  auto& clock = seams.system.clock;
  const auto deadline = clock.steady() + patience;
  for (bool first = true;; first = false) {
    const auto found = find();
    if (!found) return tl::unexpected(found.error());
    if (found->empty()) return {};
    const auto ranks = fmt::format("{}", fmt::join(*found, ", "));
    if (clock.steady() >= deadline) {
      return fail(ExitCode::still_running, "processes of an earlier attempt are still running: " + ranks,
                  "end them with kill -9, then rerun the run");
    }
    if (first && seams.note) seams.note("waiting for processes of an earlier attempt to end: " + ranks);
    clock.sleep(kBetweenLooks);
  }
}

}  // namespace ddp::cli
