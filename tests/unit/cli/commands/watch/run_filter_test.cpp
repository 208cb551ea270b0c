#include "cli/commands/watch/run_filter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace ddp::cli {
namespace {

TEST(RunFilter, SaysWhyAListIsEmpty) {
  EXPECT_EQ(RunFilter{}.render_no_match(), "no run has been started yet");
  EXPECT_EQ(RunFilter{.states = {RunState::running}}.render_no_match(), "no run is in state running");
  EXPECT_EQ((RunFilter{.states = {RunState::running, RunState::queued}}.render_no_match()),
            "no run is in state queued or running");
  EXPECT_EQ(RunFilter{.name_part = "mnist"}.render_no_match(), "no run has 'mnist' in its name");
  EXPECT_EQ((RunFilter{.states = {RunState::failed}, .name_part = "mnist"}.render_no_match()),
            "no run in state failed has 'mnist' in its name");
}

TEST(RunFilter, TakesAStateAsTablesShowIt) {
  for (const auto* text : {"timed_out,failed", "timed out,failed", " timed out, failed "}) {
    Arguments arguments;
    arguments.add("--state", {text});
    const auto filter = parse_run_filter(arguments);
    ASSERT_TRUE(filter) << text;
    EXPECT_EQ(filter->states, (std::set{RunState::failed, RunState::timed_out}));
  }
}

TEST(RunFilter, QuotesAWordThatNamesNoStateAsItWasWritten) {
  for (const auto& [text, quoted] : {std::pair{"failed, timed away", "'timed away'"}, {"failed,", "''"}}) {
    Arguments arguments;
    arguments.add("--state", {text});
    const auto filter = parse_run_filter(arguments);
    ASSERT_FALSE(filter) << text;
    EXPECT_EQ(filter.error().message, std::string("--state: there is no state ") + quoted);
  }
}

}  // namespace
}  // namespace ddp::cli
