#include "jobenv/agent/launchers/slurm/step_query.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

using Answer = StepQuery::Answer;

TEST(ParseSteps, LooksForTheNameOfTheAgentsProgram) {
  EXPECT_EQ(parse_steps({true, "batch\nddp-agent\n"}, "/opt/bin/ddp-agent"), Answer::there);
  EXPECT_EQ(parse_steps({true, "batch\nextern\nusers-own\n"}, "/opt/bin/ddp-agent"), Answer::gone);
  EXPECT_EQ(parse_steps({true, ""}, "/opt/bin/ddp-agent"), Answer::gone);
}

TEST(ParseSteps, AFailureIsNoAnswer) {
  EXPECT_EQ(parse_steps({false, ""}, "/opt/bin/ddp-agent"), Answer::none);
}

class StepQueryTest : public testing::Test {
 protected:
  Answer ask(const EnvMap& environment) {
    auto loop = EventLoop::create({}, [](int) {}).value();
    std::optional<Answer> answer;
    const StepQuery query(*loop, environment, "42", "/opt/bin/ddp-agent", [&](Answer given) {
      answer = given;
      loop->quit();
    });
    loop->run();
    return *answer;
  }
};

TEST_F(StepQueryTest, WithoutSqueueThereIsNoAnswer) {
  EXPECT_EQ(ask(EnvMap().set("PATH", "/nowhere")), Answer::none);
}

}  // namespace
}  // namespace ddp::agent
