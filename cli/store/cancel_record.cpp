#include "cli/store/cancel_record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "jobenv/record/ledger/ledger.hpp"

namespace ddp::cli {

namespace {

/// What a full disk has left of it.
void remove_if_empty(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) == 0) std::filesystem::remove(path, ignored);
}

}  // namespace

Expected<void> record_cancel(const RunFolder& folder, const std::set<std::string>& tokens,
                             const System& system) {
  const auto time =
      std::chrono::duration_cast<std::chrono::milliseconds>(system.clock.now().time_since_epoch()).count();
  for (const auto& token : tokens) {
    const auto writer = fmt::format("cancel-{}{}{}-{}", token, token.empty() ? "" : "-", getpid(), time);
    auto ledger = LedgerWriter::open(folder, writer);
    if (!ledger) return tl::unexpected(ledger.error());
    const event::CancelRequested request{
        .token = token, .host = system.host.name(), .pid = getpid(), .user = system.host.user()};
    if (auto recorded = ledger->append(request); !recorded) {
      remove_if_empty(folder.ledger_of(writer));
      return recorded;
    }
  }
  return {};
}

}  // namespace ddp::cli
