#include "jobenv/record/signal_name.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace ddp {
namespace {

TEST(SignalName, NamesSignals) {
  EXPECT_EQ(signal_name(SIGKILL), "KILL");
  EXPECT_EQ(signal_name(SIGUSR2), "USR2");
  EXPECT_EQ(signal_name(SIGRTMIN), "RTMIN");
  EXPECT_EQ(signal_name(SIGRTMIN + 1), "RTMIN+1");
  EXPECT_EQ(signal_name(32), "signal 32");
  EXPECT_EQ(signal_name(77), "signal 77");
}

TEST(SignalName, ReadsEveryNameItGives) {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const std::string name = signal_name(signal);
    if (name.starts_with("signal ")) continue;
    EXPECT_EQ(parse_signal(name), signal) << name;
    EXPECT_EQ(parse_signal("SIG" + name), signal) << name;
  }
}

TEST(SignalName, RefusesWhatIsNoName) {
  for (const char* name :
       {"", "SIG", "USR3", "usr2", "12", "signal 32", "SIGSIGKILL", "RTMIN+99", "RTMIN-1", "KILL "}) {
    EXPECT_FALSE(parse_signal(name)) << name;
  }
}

}  // namespace
}  // namespace ddp
