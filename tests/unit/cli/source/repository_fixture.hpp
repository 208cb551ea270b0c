#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "cli/system/command_runner.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {

/// A repository of the real git, in `tree` of a temporary folder.
class RepositoryTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* path = ::getenv("PATH");
    user.set("PATH", path == nullptr ? "/usr/bin:/bin" : path).set("HOME", folder.path().string());
    if (!resolve_program("git", user)) GTEST_SKIP() << "git is needed";
    root = std::filesystem::canonical(folder.path()) / "tree";
    std::filesystem::create_directories(root);
    git({"init", "-q"});
  }

  void write(const std::filesystem::path& name, const std::string& text) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }

  void git(std::vector<std::string> words, const std::filesystem::path& place = ".") {
    words.insert(words.begin(), {"git", "-C", root / place, "-c", "user.name=n", "-c",
                                 "user.email=e@example.org", "-c", "protocol.file.allow=always"});
    const auto result = runner.run({.argv = std::move(words), .environment = user});
    ASSERT_TRUE(result && result->succeeded()) << result->err;
  }

  void commit_all() {
    git({"add", "-A"});
    git({"commit", "-q", "-m", "all"});
  }

  TemporaryFolder folder;
  std::filesystem::path root;
  EnvMap user;
  RealCommandRunner runner;
};

}  // namespace ddp::cli
