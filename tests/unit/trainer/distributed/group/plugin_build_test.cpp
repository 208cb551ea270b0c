#include "trainer/distributed/group/plugin_build.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace ddp::trainer {
namespace {

TEST(PluginBuild, TheSameIsTaken) {
  EXPECT_NO_THROW(require_same_build("libx.so", {2, 40}, {2, 40}));
}

TEST(PluginBuild, AnotherOneIsRefusedWithItsNumbers) {
  const auto refuses = [](const PluginBuild& found, const char* words) {
    EXPECT_THAT(
        [&] {
          require_same_build("libx.so", found, {2, 40});
        },
        testing::ThrowsMessage<std::runtime_error>(
            std::string("libx.so belongs to another build than this program: its table has ") + words +
            "; build and install both together"));
  };
  refuses({1, 40}, "version 1, not 2");
  refuses({2, 32}, "32 bytes, not 40");
}

}  // namespace
}  // namespace ddp::trainer
