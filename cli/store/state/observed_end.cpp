#include "cli/store/state/observed_end.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace ddp::cli {

Expected<void> record_observed_end(const RunFolder& folder, const RunStatus& status, std::string_view source,
                                   const Host& host) {
  auto ledger = LedgerWriter::open(folder, fmt::format("observer-{}-{}", host.name(), getpid()));
  if (!ledger) return tl::unexpected(ledger.error());
  nlohmann::json fields = {{"state", to_string(status.state)},
                           {"message", status.message},
                           {"source", source},
                           {"token", status.token},
                           {"attempt", status.newest_attempt()}};
  if (status.ended) fields["ended"] = render_time(*status.ended);
  if (status.cause) fields["cause"] = {{"stderr_tail", status.cause->stderr_tail}};
  return ledger->append("run_ended", fields);
}

}  // namespace ddp::cli
