#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "jobenv/agent/process/event_loop.hpp"
#include "jobenv/record/ledger/ledger.hpp"

namespace ddp::agent {

/// An event that has to survive a crash of head's machine before head goes on.
struct AwaitedEvent {
  std::string_view name;
  std::string_view before;  ///< what head does then, and why that has to wait
};
[[nodiscard]] std::span<const AwaitedEvent> awaited_events();

/// Head's own ledger. An awaited event is synced when write() returns, with all that was written before it.
/// All others are synced together at the end of the turn of the loop: thousands of ranks may end in one.
class HeadLedger {
 public:
  using Log = std::function<void(const std::string& line)>;

  /// `loop` must outlive it. `log` hears of what cannot be written.
  HeadLedger(EventLoop& loop, LedgerWriter writer, Log log)
      : loop_(loop), writer_(std::move(writer)), log_(std::move(log)) {}
  HeadLedger(const HeadLedger&) = delete;
  HeadLedger& operator=(const HeadLedger&) = delete;
  ~HeadLedger();

  void write(std::string_view event, const nlohmann::json& fields);

 private:
  void sync();
  void tell(const Expected<void>& done);

  EventLoop& loop_;
  LedgerWriter writer_;
  Log log_;
  EventLoop::TimerId end_of_turn_ = 0;  ///< 0: all is synced
};

}  // namespace ddp::agent
