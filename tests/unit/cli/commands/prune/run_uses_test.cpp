#include "cli/commands/prune/run_uses.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "jobenv/record/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

class RunUsesTest : public testing::Test {
 protected:
  RunPointer make_run(const std::string& id, const std::string& spec) {
    const RunFolder folder(home / "runs" / id);
    EXPECT_TRUE(folder.create());
    std::ofstream(folder.spec()) << spec;
    return {.run_id = id,
            .name = "job",
            .run_dir = folder.root(),
            .launcher = "local",
            .job_id = {},
            .created = {}};
  }
  /// The key by which a run of this spec needs job-1.
  std::optional<std::string> key_of(const std::string& spec) {
    fs::remove_all(home / "runs/other-1");
    return RunUses::load(make_run("other-1", spec)).key_that_needs(first);
  }

  TemporaryFolder home;
  RunPointer first = make_run("job-1", "name: job\n");
};

TEST_F(RunUsesTest, AValueThatNamesTheFolderNeedsIt) {
  EXPECT_EQ(key_of("train:\n  checkpoint:\n    path: /runs/job-1/checkpoints\n"), "train.checkpoint.path");
  EXPECT_EQ(key_of("command: [python, --init=../job-1/output/model.pt]\n"), "command");
  EXPECT_EQ(key_of("command: [sh, -c, \"cat runs/job-1/x\"]\n"), "command");
}

TEST_F(RunUsesTest, ALongerNameIsAnotherRun) {
  EXPECT_EQ(key_of("command: [cat, /runs/job-12/x, /runs/a-job-1/x, job-1.txt]\n"), std::nullopt);
}

TEST_F(RunUsesTest, ACommentIsNotAValue) {
  EXPECT_EQ(key_of("name: other  # /runs/job-1/spec.yaml:4\n"), std::nullopt);
}

TEST_F(RunUsesTest, ALinkThatLeadsIntoTheFolderNeedsIt) {
  fs::create_directory_symlink(first.run_dir, home / "best");
  EXPECT_EQ(key_of("train:\n  model:\n    weights: " + (home / "best/logs").string() + "\n"),
            "train.model.weights");
}

TEST_F(RunUsesTest, SettingsThatCannotBeReadAreTold) {
  const auto run = make_run("job-2", "name: [\n");
  EXPECT_FALSE(RunUses::load(run).unreadable().empty());
  fs::remove(RunFolder(run.run_dir).spec());
  EXPECT_TRUE(RunUses::load(run).unreadable().empty());
  fs::create_directory(RunFolder(run.run_dir).plan());
  EXPECT_FALSE(RunUses::load(run).unreadable().empty());
}

TEST_F(RunUsesTest, ARunDoesNotNeedItself) {
  EXPECT_EQ(RunUses::load(make_run("job-2", "command: [ls, job-2]\n"))
                .key_that_needs({.run_id = "job-2",
                                 .name = "job",
                                 .run_dir = (home / "runs/job-2").string(),
                                 .launcher = "local",
                                 .job_id = {},
                                 .created = {}}),
            std::nullopt);
}

}  // namespace
}  // namespace ddp::cli
