#pragma once

#include "cli/system/system.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_command_runner.hpp"
#include "tests/support/fake_host.hpp"

namespace ddp::cli {

/// The outside of a test.
struct FakeSystem {
  FakeCommandRunner runner;
  FakeClock clock;
  FakeHost host;

  [[nodiscard]] System system() { return {runner, clock, host}; }
};

}  // namespace ddp::cli
