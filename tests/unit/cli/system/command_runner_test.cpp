#include "cli/system/command_runner.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>

#include "cli/system/host.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using std::chrono::milliseconds;

EnvMap basic_environment() {
  return EnvMap().set("PATH", "/usr/bin:/bin");
}

CommandResult run_shell(const std::string& script, EnvMap environment = basic_environment()) {
  RealCommandRunner runner;
  return runner.run({.argv = {"sh", "-c", script}, .environment = std::move(environment)}).value();
}

TEST(CommandRunner, CapturesBothStreamsAndTheExitCode) {
  const auto result = run_shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.end, CommandResult::End::exited);
  EXPECT_EQ(result.code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_FALSE(result.succeeded());
}

TEST(CommandRunner, KillsAProgramThatIsToStop) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const FileDescriptor stop(ends[0]);
  const FileDescriptor stopper(ends[1]);
  ASSERT_EQ(write(stopper.get(), "x", 1), 1);
  RealCommandRunner runner;
  const auto result = runner.run(
      {.argv = {"sleep", "1000"}, .environment = basic_environment(), .stop_descriptor = stop.get()});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, CommandResult::End::timed_out);
}

TEST(CommandRunner, TakesMoreThanAPipeHoldsOnBothStreams) {
  const auto result = run_shell("head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2");
  EXPECT_EQ(result.out.size(), 300'000u);
  EXPECT_EQ(result.err.size(), 200'000u);
}

TEST(CommandRunner, TellsLinesOfStderrAsTheyCome) {
  RealCommandRunner runner;
  const TemporaryFolder folder;
  const auto seen = folder / "seen";
  std::vector<std::string> lines;
  const auto result = runner.run({.argv = {"sh", "-c",
                                           "echo one >&2; until [ -e " + seen.string() +
                                               " ]; do sleep 0.01; done; echo two >&2; "
                                               "printf three >&2"},
                                  .environment = basic_environment(),
                                  .on_error_line = [&](std::string_view line) {
                                    lines.emplace_back(line);
                                    (void)save_file(seen, "", Durability::visible);
                                  }});
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(result->err, "one\ntwo\nthree");
}

TEST(CommandRunner, HandsOnOneDescriptor) {
  RealCommandRunner runner;
  const FileDescriptor file(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto result =
      runner.run({.argv = {"sh", "-c", "readlink /proc/self/fd/" + std::to_string(file.get())},
                  .environment = basic_environment(),
                  .inherited_descriptor = file.get()});
  EXPECT_EQ(result->out, "/dev/null\n");
}

TEST(CommandRunner, TellsASignal) {
  const auto result = run_shell("kill -9 $$");
  EXPECT_EQ(result.end, CommandResult::End::signalled);
  EXPECT_EQ(result.code, SIGKILL);
}

TEST(CommandRunner, KillsAProgramThatTakesTooLong) {
  RealCommandRunner runner;
  const auto result = runner.run(
      {.argv = {"sleep", "1000"}, .environment = basic_environment(), .timeout = milliseconds(50)});
  EXPECT_EQ(result->end, CommandResult::End::timed_out);
}

TEST(CommandRunner, KillsWhatSuchAProgramHasStartedToo) {
  RealCommandRunner runner;
  const auto result = runner.run({.argv = {"sh", "-c", "sleep 1000 & echo $!; wait"},
                                  .environment = basic_environment(),
                                  .timeout = milliseconds(500)});
  EXPECT_EQ(result->end, CommandResult::End::timed_out);
  const int descendant = std::stoi(result->out);
  const auto is_gone = [descendant] {  // or a zombie that nobody has collected yet
    std::ifstream stat("/proc/" + std::to_string(descendant) + "/stat");
    std::string text;
    std::getline(stat, text);
    return text.empty() || text.find(") Z ") != text.npos;
  };
  while (!is_gone()) std::this_thread::yield();
}

TEST(CommandRunner, DoesNotWaitForADescendantThatKeepsThePipe) {
  const auto result = run_shell("sleep 1000 & echo $!");
  ASSERT_TRUE(result.succeeded());
  EXPECT_EQ(kill(std::stoi(result.out), SIGKILL), 0);
}

TEST(CommandRunner, GivesExactlyTheEnvironment) {
  EnvMap environment = basic_environment();
  environment.set("DDP_TEST", "a b");
  const auto result = run_shell("env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= | sort", environment);
  EXPECT_EQ(result.out, "DDP_TEST=a b\nPATH=/usr/bin:/bin\n");
}

TEST(CommandRunner, PassesNoDescriptorOn) {
  const FileDescriptor open_file(open("/dev/null", O_RDONLY));  // not close-on-exec
  ASSERT_GT(open_file.get(), 2);
  const auto result = run_shell("ls /proc/self/fd | wc -l");
  EXPECT_EQ(std::stoi(result.out), 4);  // 0, 1, 2 and the folder that ls reads
}

TEST(CommandRunner, GivesDefaultSignals) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto old_handler = signal(SIGUSR1, SIG_IGN);
  const auto result = run_shell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  signal(SIGUSR1, old_handler);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(result.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(CommandRunner, NamesAProgramThatIsNotThere) {
  RealCommandRunner runner;
  const auto result = runner.run({.argv = {"no-such-program"}, .environment = basic_environment()});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ExitCode::not_found);
  EXPECT_EQ(result.error().message, "program 'no-such-program' is not in PATH");
}

TEST(CommandRunner, LooksPathUpInTheGivenEnvironment) {
  TemporaryFolder folder;
  ASSERT_TRUE(save_file(folder / "tool", "#!/bin/sh\necho mine\n", Durability::visible));
  std::filesystem::permissions(folder / "tool", std::filesystem::perms::owner_all);
  RealCommandRunner runner;
  const EnvMap environment = EnvMap().set("PATH", folder.path());
  EXPECT_EQ(runner.run({.argv = {"tool"}, .environment = environment})->out, "mine\n");
}

TEST(CommandRunner, StartsADaemonInItsOwnSession) {
  TemporaryFolder folder;
  RealCommandRunner runner;
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor source(ends[0]);
  FileDescriptor sink(ends[1]);
  const auto number = std::to_string(sink.get());
  const auto pid = runner.start_daemon({.argv = {"sh", "-c", "pwd; ps -o sid= -p $$; echo x >&" + number},
                                        .environment = basic_environment(),
                                        .folder = folder.path(),
                                        .log = folder / "log",
                                        .inherited_descriptors = {sink.get()}});
  ASSERT_TRUE(pid);
  sink = {};
  char byte = 0;
  EXPECT_EQ(read(source.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  RealHost host;
  while (host.start_of(*pid)) std::this_thread::sleep_for(milliseconds(5));
  runner.reap(*pid);
  const auto log = load_file(folder / "log").value();
  const auto lines = log.find('\n');
  EXPECT_EQ(log.substr(0, lines), std::filesystem::canonical(folder.path()));
  EXPECT_EQ(std::stoi(log.substr(lines)), *pid);
}

}  // namespace
}  // namespace ddp::cli
