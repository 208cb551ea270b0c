#include "jobenv/record/files/durable_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/traced_child.hpp"

namespace ddp {
namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

TEST(DurableFile, SavesAndLoads) {
  const TemporaryFolder folder;
  const std::string text("line\n\0end", 9);
  for (const Durability durability : {Durability::visible, Durability::synced}) {
    ASSERT_TRUE(save_file(folder / "file", "an older and longer text", durability));
    ASSERT_TRUE(save_file(folder / "file", text, durability));
    EXPECT_EQ(load_file(folder / "file"), text);
  }
  struct stat status {};
  ASSERT_EQ(stat((folder / "file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"file"}));
}

TEST(DurableFile, SavesInTheWorkingDirectory) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto saved = save_file("file", "text", Durability::synced);
  std::filesystem::current_path(before);
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(load_file(folder / "file"), "text");
}

TEST(DurableFile, LoadRefusesFilesThatAreTooLargeOrAbsent) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_file(folder / "file", std::string(200'000, 'x'), Durability::visible));
  EXPECT_EQ(load_file(folder / "file", 200'000)->size(), 200'000U);
  EXPECT_FALSE(load_file(folder / "file", 199'999));
  EXPECT_EQ(load_file(folder / "none").error().code, ExitCode::not_found);
  EXPECT_FALSE(load_file(folder.path()));
}

TEST(DurableFile, LoadReadsFilesWhoseSizeIsNotKnown) {
  const auto text = load_file("/proc/self/status");
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("Pid:"), std::string::npos);
}

TEST(DurableFile, AReaderSeesTheOldOrTheNewTextNeverAPart) {
  const TemporaryFolder folder;
  const std::string a(150'000, 'a');
  const std::string b(90'000, 'b');
  ASSERT_TRUE(save_file(folder / "file", a, Durability::visible));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i)
      EXPECT_TRUE(save_file(folder / "file", i % 2 == 0 ? b : a, Durability::visible));
    done = true;
  });
  while (!done) {
    const auto text = load_file(folder / "file");
    EXPECT_TRUE(text && (*text == a || *text == b));
  }
  writer.join();
}

/// Save over an old text, `intervene` in the system calls; returns how it ended.
ChildEnd save_traced(const TemporaryFolder& folder, const Intervention& intervene) {
  const auto file = folder / "file";
  if (!save_file(file, "old", Durability::synced)) throw std::runtime_error("cannot prepare");
  const auto save = [&] {
    if (!save_file(file, "new", Durability::synced)) throw std::runtime_error("refused");
  };
  return run_traced(save, intervene);
}

TEST(SyncTogether, SyncsFilesAndFoldersAndNamesTheOneThatCannotBe) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_file(folder / "file", "text", Durability::visible));
  EXPECT_TRUE(sync_together(std::array{folder / "file", folder.path()}));
  const auto synced = sync_together(std::array{folder / "file", folder / "absent"});
  ASSERT_FALSE(synced);
  EXPECT_NE(synced.error().message.find(folder / "absent"), std::string::npos);
}

TEST(SyncTogether, SyncsMorePathsThanItMayHaveOpenFiles) {
  const TemporaryFolder folder;
  std::vector<std::filesystem::path> paths;
  for (int i = 0; i < 100; ++i) {
    paths.push_back(folder / std::to_string(i));
    ASSERT_TRUE(save_file(paths.back(), "text", Durability::visible));
  }
  const pid_t pid = fork();
  if (pid == 0) {
    const rlimit few = {40, 40};
    setrlimit(RLIMIT_NOFILE, &few);
    _exit(sync_together(paths) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  paths.insert(paths.begin() + 50, {folder / "first", folder / "second"});
  const auto synced = sync_together(paths);
  ASSERT_FALSE(synced);
  EXPECT_NE(synced.error().message.find(folder / "first"), std::string::npos);
}

TEST(DurableFile, WhateverCallFailsTheOldTextStaysAndNoTemporaryFile) {
  const std::set<long> calls = {SYS_openat, SYS_write, SYS_fsync, SYS_close, SYS_rename};
  std::set<long> failed;
  for (int chosen = 0;; ++chosen) {
    const TemporaryFolder folder;
    int seen = 0;
    long number = -1;
    bool renamed = false;
    const ChildEnd end = save_traced(folder, [&](const SystemCall& call) {
      if (!calls.contains(call.number)) return 0;
      if (seen++ == chosen) {
        number = call.number;
        return EIO;
      }
      renamed = renamed || call.number == SYS_rename;
      return 0;
    });
    if (end == ChildEnd::not_traceable) GTEST_SKIP() << "ptrace is not permitted here";
    EXPECT_EQ(load_file(folder / "file"), renamed ? "new" : "old")
        << "call " << chosen << ", number " << number;
    EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"file"}))
        << "call " << chosen << ", number " << number;
    if (number < 0) {
      EXPECT_EQ(end, ChildEnd::returned);
      break;
    }
    // After the rename only the fsync of the folder matters; the failure of a close there changes nothing.
    EXPECT_EQ(end, renamed && number == SYS_close ? ChildEnd::returned : ChildEnd::threw)
        << "number " << number;
    failed.insert(number);
  }
  EXPECT_EQ(failed, calls);
}

TEST(DurableFile, KilledAtAnyPointTheFileIsWhole) {
  bool saw_old = false;
  bool saw_new = false;
  for (int index = 0; !saw_new || index < 40; ++index) {
    const TemporaryFolder folder;
    const ChildEnd end =
        save_traced(folder, [&](const SystemCall& call) { return call.index == index ? kKill : 0; });
    if (end == ChildEnd::not_traceable) GTEST_SKIP() << "ptrace is not permitted here";
    const auto text = load_file(folder / "file");
    ASSERT_TRUE(text == "old" || text == "new") << index;
    saw_old = saw_old || text == "old";
    saw_new = saw_new || text == "new";
    for (const std::string& name : names_in(folder.path()))
      EXPECT_TRUE(name == "file" || name.starts_with(".file.")) << name;
  }
  EXPECT_TRUE(saw_old);
}

TEST(DurableFile, AShortWriteThatCannotBeContinuedIsAnError) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_file(folder / "file", "old", Durability::visible));
  const pid_t pid = fork();
  if (pid == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};  // the first write ends there, the next one fails
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto saved = save_file(folder / "file", std::string(5000, 'x'), Durability::visible);
    _exit(!saved && saved.error().message.find("File too large") != std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(load_file(folder / "file"), "old");
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"file"}));
}

TEST(DurableFile, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const auto saved = save_file(folder / "none" / "file", "x", Durability::visible);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().message, "cannot create a file for " + (folder / "none" / "file").string() +
                                       ": No such file or directory");
  std::filesystem::create_directories(folder / "folder" / "inside");
  EXPECT_FALSE(save_file(folder / "folder", "x", Durability::visible));
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"folder"}));
  EXPECT_FALSE(sync_folder(folder / "none"));
  EXPECT_TRUE(sync_folder(folder.path()));
}

}  // namespace
}  // namespace ddp
