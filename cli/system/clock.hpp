#pragma once

#include <chrono>

namespace ddp::cli {

/// Time as a value that tests can choose.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::chrono::system_clock::time_point now() const = 0;
  /// For time-outs: never set back.
  [[nodiscard]] virtual std::chrono::steady_clock::time_point steady() const = 0;
  virtual void sleep(std::chrono::milliseconds duration) = 0;
};

class RealClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::system_clock::time_point now() const override;
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override;
  void sleep(std::chrono::milliseconds duration) override;
};

}  // namespace ddp::cli
