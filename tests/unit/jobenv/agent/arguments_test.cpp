#include "jobenv/agent/arguments.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

Expected<Arguments> parse(const std::vector<std::string>& words) {
  return parse_arguments(words);
}

std::string problem(const std::vector<std::string>& words) {
  const auto arguments = parse(words);
  return arguments ? "" : arguments.error().message;
}

TEST(Arguments, Head) {
  const auto arguments = parse({"head", "--run-dir", "/r", "--node=n1", "--attached-fd", "7"});
  ASSERT_TRUE(arguments);
  const auto& head = std::get<HeadOptions>(*arguments);
  EXPECT_EQ(head.run_dir, "/r");
  EXPECT_EQ(head.node, "n1");
  EXPECT_EQ(head.attached_fd, 7);
  EXPECT_FALSE(std::get<HeadOptions>(*parse({"head", "--run-dir=/r"})).attached_fd);
}

TEST(Arguments, Node) {
  const auto arguments = parse({"node", "--node-rank", "2", "--run-dir", "/r"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(std::get<NodeArguments>(*arguments).node_rank, 2);
}

TEST(Arguments, Task) {
  EXPECT_TRUE(std::holds_alternative<TaskArguments>(*parse({"task"})));
  EXPECT_EQ(problem({"task", "x"}), "the role 'task' takes no arguments");
}

TEST(Arguments, Probe) {
  EXPECT_EQ(std::get<ProbeArguments>(*parse({"probe", "--trainer", "/bin/ddptrain"})).trainer,
            "/bin/ddptrain");
  EXPECT_EQ(std::get<ProbeArguments>(*parse({"probe"})).trainer, "");
  EXPECT_EQ(std::get<ProbeArguments>(*parse({"probe", "--program", "python3"})).program, "python3");
  EXPECT_EQ(problem({"probe", "--trainer=ddptrain"}), "--trainer must be an absolute path");
}

TEST(Arguments, Version) {
  EXPECT_TRUE(std::holds_alternative<VersionArguments>(*parse({"--version"})));
  EXPECT_EQ(render_version().rfind("ddp-agent ", 0), 0u);
}

TEST(Arguments, Sweep) {
  const auto arguments = parse({"sweep", "--run-dir=/r", "--points", "0-2,5", "--token=abc"});
  ASSERT_TRUE(arguments);
  const auto& sweep = std::get<SweepOptions>(*arguments);
  EXPECT_EQ(sweep.points, (std::vector<int>{0, 1, 2, 5}));
  EXPECT_EQ(sweep.token, "abc");
  EXPECT_FALSE(sweep.attached_fd);
  EXPECT_EQ(problem({"sweep", "--run-dir=/r", "--token=abc"}), "--points must be a list such as 0-4,7");
  EXPECT_EQ(problem({"sweep", "--run-dir=/r", "--points=1"}), "--token is missing");
}

TEST(Arguments, SaysWhatIsWrong) {
  EXPECT_EQ(problem({}), "a role is missing");
  EXPECT_EQ(problem({"tail"}), "unknown role 'tail'");
  EXPECT_EQ(problem({"head"}), "--run-dir is missing");
  EXPECT_EQ(problem({"head", "--run-dir"}), "--run-dir needs a value");
  EXPECT_EQ(problem({"head", "--run-dir", "r"}), "--run-dir must be an absolute path");
  EXPECT_EQ(problem({"head", "--run-dir=/r", "--run-dir=/r"}), "--run-dir is given twice");
  EXPECT_EQ(problem({"head", "--run-dir=/r", "--attached-fd=-1"}), "--attached-fd must be a whole number");
  EXPECT_EQ(problem({"head", "--run-dir=/r", "--nod=x"}), "unknown argument '--nod=x'");
  EXPECT_EQ(problem({"node", "--run-dir=/r"}), "--node-rank must be a whole number");
}

}  // namespace
}  // namespace ddp::agent
