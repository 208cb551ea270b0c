#pragma once

#include "cli/system/clock.hpp"

namespace ddp::cli {

/// Stands still until somebody sleeps.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::time_point{std::chrono::seconds(1'800'000'000)} + passed_;
  }
  [[nodiscard]] std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::time_point{} + passed_;
  }
  void sleep(std::chrono::milliseconds duration) override { passed_ += duration; }

 private:
  std::chrono::milliseconds passed_{0};
};

}  // namespace ddp::cli
