#include "cli/store/cancel_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "jobenv/record/ledger.hpp"

namespace ddp::cli {

Expected<void> record_cancel(const RunFolder& folder, const std::set<std::string>& tokens,
                             const System& system) {
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(system.clock.now().time_since_epoch()).count();
  auto ledger = LedgerWriter::open(folder, fmt::format("cancel-{}-{}", getpid(), time));
  if (!ledger) return tl::unexpected(ledger.error());
  for (const auto& token : tokens) {
    nlohmann::json fields = {{"host", system.host.name()}, {"pid", getpid()}, {"user", system.host.user()}};
    if (!token.empty()) fields["token"] = token;
    if (auto recorded = ledger->append("cancel_requested", fields); !recorded) return recorded;
  }
  return {};
}

}  // namespace ddp::cli
