#include "cli/store/irregular_files.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class IrregularFiles : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder.create());
    for (const auto& path : {folder.exits(0), folder.logs(0), folder.attempt(0), folder.checkpoints()})
      std::filesystem::create_directories(path);
    for (const auto& path : {folder.plan(), folder.metrics(), folder.exit_record(0, 0), folder.out(0, 0)})
      std::ofstream(path) << "{}";
  }
  static std::string is_fifo(const std::filesystem::path& path) {
    return "cannot read " + path.string() + ": it is a FIFO, not a regular file";
  }

  TemporaryFolder home;
  RunFolder folder{home / "run"};
};

TEST_F(IrregularFiles, AreNoneInARunFolderOfOurs) {
  EXPECT_THAT(find_irregular_files(folder, 0), IsEmpty());
  EXPECT_THAT(find_irregular_files(folder, -1), IsEmpty());
  EXPECT_THAT(find_irregular_files(RunFolder(home / "gone"), 3), IsEmpty());
}

TEST_F(IrregularFiles, AreFoundAmongTheRecordsOfTheNewestAttempt) {
  for (const auto& path : {folder.exit_record(0, 1), folder.err(0, 1), folder.claim(0)})
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(find_irregular_files(folder, 0),
              UnorderedElementsAre(is_fifo(folder.exit_record(0, 1)), is_fifo(folder.err(0, 1)),
                                   is_fifo(folder.claim(0))));
  EXPECT_THAT(find_irregular_files(folder, 1), IsEmpty());
}

TEST_F(IrregularFiles, AreFoundAmongThoseOfTheRun) {
  std::filesystem::remove(folder.metrics());
  std::filesystem::create_directory(folder.metrics());
  std::filesystem::create_symlink("/dev/zero", folder.spec());
  const auto latest = folder.checkpoints() / "LATEST";
  ASSERT_EQ(mkfifo(latest.c_str(), 0600), 0);
  EXPECT_THAT(find_irregular_files(folder, -1),
              ElementsAre("cannot read " + folder.spec().string() + ": it is a device, not a regular file",
                          "cannot read " + folder.metrics().string() + ": it is a folder, not a regular file",
                          is_fifo(latest)));
}

TEST_F(IrregularFiles, AreFoundInTheLogsOfJobsAndInCheckpoints) {
  const auto step = folder.checkpoints() / "step-00000001-a0";
  std::filesystem::create_directories(step);
  for (const auto& path : {folder.job_output("slurm", "7"), step / "manifest.json", folder.sweep_record()})
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(find_irregular_files(folder, -1),
              UnorderedElementsAre(is_fifo(folder.job_output("slurm", "7")), is_fifo(step / "manifest.json"),
                                   is_fifo(folder.sweep_record())));
}

TEST_F(IrregularFiles, AreFoundInThePlacesOfFolders) {
  std::filesystem::remove(folder.checkpoints());
  ASSERT_EQ(mkfifo(folder.checkpoints().c_str(), 0600), 0);
  std::filesystem::remove_all(folder.exits(0));
  ASSERT_EQ(mkfifo(folder.exits(0).c_str(), 0600), 0);
  EXPECT_THAT(find_irregular_files(folder, 0),
              ElementsAre("cannot list " + folder.checkpoints().string() + ": it is not a folder",
                          "cannot list " + folder.exits(0).string() + ": it is not a folder"));
}

}  // namespace
}  // namespace ddp::cli
