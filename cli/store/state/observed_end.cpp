#include "cli/store/state/observed_end.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace ddp::cli {

Expected<void> record_observed_end(const RunFolder& folder, const RunStatus& status, std::string_view source,
                                   const Host& host) {
  auto ledger = LedgerWriter::open(folder, fmt::format("observer-{}-{}", host.name(), getpid()));
  if (!ledger) return tl::unexpected(ledger.error());
  event::RunEnded end{.attempt = status.newest_attempt(),
                      .state = status.state,
                      .message = status.message,
                      .source = std::string(source),
                      .token = status.token,
                      .ended = status.ended};
  if (status.cause) end.cause = Cause{.stderr_tail = status.cause->stderr_tail};
  return ledger->append(end);
}

}  // namespace ddp::cli
