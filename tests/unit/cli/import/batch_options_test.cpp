#include "cli/import/batch_options.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "cli/import/job_layout.hpp"
#include "cli/launchers/slurm/keys/sbatch_option_names.hpp"
#include "cli/launchers/slurm/keys/srun_option_names.hpp"

namespace ddp::cli {
namespace {

std::string read_as_text(const std::vector<std::string>& words, BatchProgram program = BatchProgram::sbatch) {
  std::vector<PlacedWord> placed;
  for (const auto& word : words) placed.push_back({word});
  Errors errors;
  const auto read = read_options(placed, program, errors);
  std::string text;
  for (const auto& option : read.options) text += option.written() + " ";
  for (const auto& error : errors) text += "error: " + error.message + " ";
  return text + std::to_string(read.used);
}

TEST(BatchOptions, AreSortedByTheirNamesAndKnownToSlurm) {
  const auto rows = batch_options();
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &BatchOption::name));
  for (const auto& row : rows) {
    EXPECT_TRUE(find_option_name(row.name, sbatch_options) != nullptr ||
                find_option_name(row.name, srun_options) != nullptr)
        << row.name;
  }
}

TEST(BatchOptions, AreReadInAllForms) {
  EXPECT_EQ(read_as_text({"--nodes=2"}), "--nodes=2 1");
  EXPECT_EQ(read_as_text({"--nodes", "2"}), "--nodes=2 2");
  EXPECT_EQ(read_as_text({"-N", "2"}), "--nodes=2 2");
  EXPECT_EQ(read_as_text({"-N2"}), "--nodes=2 1");
  EXPECT_EQ(read_as_text({"-ul", "python"}, BatchProgram::srun), "--unbuffered --label 1");
  EXPECT_EQ(read_as_text({"--exclusive", "python"}), "--exclusive 1");
  EXPECT_EQ(read_as_text({"-X", "python"}, BatchProgram::srun), "--disable-status 1");
}

TEST(BatchOptions, AreThoseOfTheirProgram) {
  EXPECT_EQ(read_as_text({"-W", "60", "python"}, BatchProgram::srun), "--wait=60 2");
  EXPECT_EQ(read_as_text({"-W", "-H"}), "--wait --hold 2");
  EXPECT_EQ(read_as_text({"--kill-on", "x"}), "--kill-on-invalid-dep=x 2");
  EXPECT_EQ(read_as_text({"--kill-on", "x"}, BatchProgram::srun), "--kill-on-bad-exit 1");
}

TEST(BatchOptions, EndAtTheProgram) {
  EXPECT_EQ(read_as_text({"-n", "4", "python", "--lr", "1"}, BatchProgram::srun), "--ntasks=4 2");
  EXPECT_EQ(read_as_text({"--cpu-bind=none", "--of-a-plug-in=x", "python"}, BatchProgram::srun),
            "--cpu-bind=none --of-a-plug-in=x 2");
  EXPECT_EQ(
      read_as_text({"--gpu-bind", "closest", "--container-image", "a.sqsh", "python"}, BatchProgram::srun),
      "--gpu-bind=closest --container-image=a.sqsh 4");
  EXPECT_EQ(read_as_text({"--test-only", "python"}, BatchProgram::srun), "--test-only 1");
}

TEST(BatchOptions, ThatAreNotKnownNeedAnEqualsSignBeforeAWord) {
  EXPECT_EQ(read_as_text({"--of-a-plug-in", "x", "python"}, BatchProgram::srun),
            "--of-a-plug-in error: '--of-a-plug-in' is not a known option: a value may follow, or not 1");
  EXPECT_EQ(read_as_text({"--of-a-plug-in", "--nodes=2"}), "--of-a-plug-in --nodes=2 2");
}

TEST(BatchOptions, MayBeShort) {
  EXPECT_EQ(read_as_text({"--part", "gpu", "--cpus-per-t=4"}), "--partition=gpu --cpus-per-task=4 3");
  EXPECT_EQ(read_as_text({"--nod=2"}), "--nod=2 error: '--nod' is the beginning of several options 1");
}

TEST(BatchOptions, NeedTheirValues) {
  EXPECT_EQ(read_as_text({"--nodes"}), "--nodes error: the option '--nodes' has no value 1");
  EXPECT_EQ(read_as_text({"-Z"}), "error: '-Z' is not a known option 1");
}

TEST(SizesOfSlurm, AreMebibytesWithoutAUnit) {
  EXPECT_EQ(size_of_slurm("2500", 1), "2500MiB");
  EXPECT_EQ(size_of_slurm("4G", 7), "28GiB");
  EXPECT_EQ(size_of_slurm("16GB", 1), "16GiB");
  EXPECT_EQ(size_of_slurm("0", 1), "0MiB");
  EXPECT_FALSE(size_of_slurm("much", 1));
}

}  // namespace
}  // namespace ddp::cli
