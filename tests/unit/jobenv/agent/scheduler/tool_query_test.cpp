#include "jobenv/agent/scheduler/tool_query.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

ToolAnswer ask(const std::string& script) {
  auto loop = EventLoop::create({}, [](int) {}).value();
  ToolAnswer answer;
  const ToolQuery query(*loop, {"sh", "-c", script}, EnvMap::capture(), [&](const ToolAnswer& given) {
    answer = given;
    loop->quit();
  });
  loop->run();
  return answer;
}

TEST(ToolQuery, HearsWhatTheToolWritesToStdoutAndToStderr) {
  const auto answer = ask("echo words; echo 'no such job' >&2; exit 1");
  EXPECT_FALSE(answer.succeeded);
  EXPECT_EQ(answer.text, "words\nno such job\n");
}

TEST(ToolQuery, TheToolOutlivesTheTermThatSlurmSendsToAllOfAJob) {
  const auto answer = ask("kill -TERM $$; echo answer");
  EXPECT_TRUE(answer.succeeded);
  EXPECT_EQ(answer.text, "answer\n");
}

}  // namespace
}  // namespace ddp::agent
