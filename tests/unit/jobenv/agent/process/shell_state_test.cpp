#include "jobenv/agent/process/shell_state.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ddp::agent {
namespace {

TEST(ShellState, ComesBackAsItWas) {
  ShellState state{.environment = EnvMap(std::map<std::string, std::string>{
                       {"A", "two\nlines"}, {"EMPTY", ""}, {"umask", "22"}, {"BASH_FUNC_f%%", "() { :; }"}}),
                   .file_mask = 027,
                   .limits = {{RLIMIT_CORE, {0, 0}}, {RLIMIT_NOFILE, {1024, RLIM_INFINITY}}}};
  const ShellState parsed = parse_shell_state(render_shell_state(state));
  EXPECT_EQ(parsed.environment, state.environment);
  EXPECT_EQ(parsed.file_mask, 027U);
  ASSERT_EQ(parsed.limits.size(), 2U);
  EXPECT_EQ(parsed.limits.at(RLIMIT_NOFILE).rlim_cur, 1024U);
  EXPECT_EQ(parsed.limits.at(RLIMIT_NOFILE).rlim_max, RLIM_INFINITY);
}

TEST(ShellState, IsWholeWithItsLastByteOnly) {
  const std::string text = render_shell_state({});
  EXPECT_TRUE(is_whole_shell_state(text));
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_FALSE(is_whole_shell_state(std::string_view(text).substr(0, size))) << size;
}

TEST(ShellState, IsThatOfThisProcess) {
  const mode_t before = umask(027);
  const ShellState state = capture_shell_state(EnvMap());
  EXPECT_EQ(umask(before), 027U);
  EXPECT_EQ(state.file_mask, 027U);
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  EXPECT_EQ(state.limits.at(RLIMIT_STACK).rlim_cur, limit.rlim_cur);
}

}  // namespace
}  // namespace ddp::agent
