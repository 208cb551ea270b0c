#pragma once

#include <functional>
#include <optional>
#include <string>

#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

/// Who has started head, and waits for one line from it, or for the end of the descriptor. Only the first
/// word is told.
class Starter {
 public:
  using Log = std::function<void(const std::string& line)>;

  /// `ready_fd`: where the line goes, which closes it; nullopt: nobody waits.
  Starter(std::optional<int> ready_fd, Log log) : ready_fd_(ready_fd), log_(std::move(log)) {}

  /// Head runs, and agents that know `address` can be started now.
  void announce(const remote::HeadAddress& address);
  /// Head starts nothing. `why` is for people.
  void refuse(const std::string& why);

 private:
  void tell(const remote::Answer& answer);

  std::optional<int> ready_fd_;
  Log log_;
};

}  // namespace ddp::agent
