#include "cli/launch/preflight/check_run.hpp"

#include <gmock/gmock.h>

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "tests/unit/cli/launch/prepared_run_fixture.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class CheckRunTest : public PreparedRunTest {};

TEST_F(CheckRunTest, PreparingAndCheckingWriteNothing) {
  const auto prepared = prepare();
  ASSERT_TRUE(prepared);
  EXPECT_TRUE(check_run(*prepared, *launcher, seams()));
  EXPECT_FALSE(fs::exists(run.root()));
  EXPECT_FALSE(fs::exists(folder / "state"));
  EXPECT_EQ(prepared->dropped, std::vector<std::string>{"SLURM_JOB_ID"});
}

TEST_F(CheckRunTest, MissesASecretBeforeAnythingIsWritten) {
  spec.environment.secrets = {"NOT_THERE"};
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().front().code, ExitCode::config_invalid);
  EXPECT_THAT(checked.error().front().message, HasSubstr("NOT_THERE"));
}

TEST_F(CheckRunTest, MissesProgramsBeforeAnythingIsWritten) {
  spec.command = {"no-such-program"};
  EXPECT_EQ(check_run(*prepare(), *launcher, seams()).error().front().code, ExitCode::preflight_failed);
  spec.command = {"./here"};
  EXPECT_FALSE(check_run(*prepare(), *launcher, seams()));
  make_program("here.py");
  fs::permissions(folder / "here.py", fs::perms::owner_read);
  spec.command = {"./here.py"};
  EXPECT_EQ(check_run(*prepare(), *launcher, seams()).error().front().hint,
            "make it executable: chmod +x ./here.py; or write: command: [python3, ./here.py]");
  spec.command = {"./here"};
  make_program("here");
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams())) << "relative to where the programs run";
  fs::remove(folder / "ddp-agent");
  EXPECT_THAT(check_run(*prepare(), *launcher, seams()).error().front().message, HasSubstr("ddp-agent"));
}

TEST_F(CheckRunTest, FindsAllThatThisMachineLacksAtOnce) {
  spec.command = {"no-such-program"};
  spec.resources.gpus_per_node = 1;
  spec.environment.secrets = {"NOT_THERE"};
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  std::vector<std::string> messages;
  for (const auto& error : checked.error()) messages.push_back(error.message);
  EXPECT_THAT(messages, ElementsAre("program 'no-such-program' is not in PATH",
                                    "resources.gpus_per_node is 1, but this machine has no NVIDIA GPU",
                                    "environment.secrets: 'NOT_THERE' is not set"));
}

TEST_F(CheckRunTest, WarnsOfWhatIsNotEnforced) {
  spec.resources.memory_bytes = 1024;
  EXPECT_THAT(check_run(*prepare(), *launcher, seams()).value(),
              ElementsAre("resources.memory is not enforced by launcher local"));
}

TEST_F(CheckRunTest, MissesTheDataOfATraining) {
  make_program("ddptrain");
  spec.command.clear();
  spec.train.emplace().data.source = {"fashion_mnist", {{"root", folder / "data"}, {"normalize", true}}};
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().front().code, ExitCode::preflight_failed);
  EXPECT_THAT(checked.error().front().message, HasSubstr("Fashion-MNIST is not in"));
  spec.environment.setup = {"tar -xf data.tar"};
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams())) << "the lines may bring it";
  spec.environment.setup.clear();
  spec.launcher = find_launcher("slurm");
  launcher = std::move(*make_launcher("slurm", seams()));
  EXPECT_TRUE(preflight(*prepare(), *launcher).errors.empty()) << "the nodes may have it";
}

TEST_F(CheckRunTest, MissesTheScriptOfAnInterpreter) {
  spec.command = {"sh", "-e", "./typo.sh"};
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().front().message,
            "'./typo.sh' was not found (looked in " + folder.path().string() + ")");
  const auto source =
      make_source_text("run.yaml", folder.path(), "command: [sh, -e, ./typo.sh]\n", Origin::config_file);
  spec.origins.by_path["command"] = place_at(source, 9);
  EXPECT_EQ(check_run(*prepare(), *launcher, seams()).error().front().where->column, 10);
  spec.origins.by_path["command[2]"] = place_at(source, 18, 9);
  EXPECT_EQ(check_run(*prepare(), *launcher, seams()).error().front().where->column, 19);
  make_program("typo.sh");
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams()));
  spec.command = {"sh", "/no/such/script"};
  spec.environment.setup = {"module load sh"};
  EXPECT_FALSE(check_run(*prepare(), *launcher, seams()));
  spec.environment.setup = {"git clone code"};
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams())) << "the lines may bring it";
}

TEST_F(CheckRunTest, FindsAScriptBesideTheConfiguration) {
  spec.command = {"sh", "beside.sh"};
  std::filesystem::create_directory(folder / "configs");
  make_program("configs/beside.sh");
  const auto source = make_source_text("configs/run.yaml", folder / "configs", "command: [sh, beside.sh]\n",
                                       Origin::config_file);
  spec.origins.by_path["command"] = place_at(source, 9);
  const auto checked = check_run(*prepare(), *launcher, seams());
  ASSERT_FALSE(checked);
  const std::string other = folder / "configs";
  const auto advice = "it is in " + other +
                      ", beside the configuration, but ranks start in the current folder: call "
                      "ddpsubmit in " +
                      other + ", or write configs/beside.sh";
  EXPECT_EQ(checked.error().front().hint, advice);
  spec.launcher = find_launcher("slurm");
  launcher = std::move(*make_launcher("slurm", seams()));
  EXPECT_THAT(
      preflight(*prepare(), *launcher).warnings,
      testing::Contains(testing::AllOf(HasSubstr("'beside.sh' was not found"), testing::EndsWith(advice))));
}

TEST_F(CheckRunTest, WarnsOfAFileThatSetupLinesSource) {
  spec.environment.setup = {"module load x", "source /no/such/activate"};
  EXPECT_THAT(check_run(*prepare(), *launcher, seams()).value(),
              ElementsAre("'/no/such/activate' was not found on this host"));
}

/// What nodes need is looked for from here.
class NodesNeedTest : public CheckRunTest {
 protected:
  std::vector<std::string> warnings(const std::string& launcher_name = "slurm") {
    spec.launcher = find_launcher(launcher_name);
    launcher = std::move(*make_launcher(launcher_name, seams()));
    const auto found = preflight(*prepare(), *launcher);
    EXPECT_TRUE(found.errors.empty());
    return found.warnings;
  }
  std::string not_there(const std::string& file) const {
    return "'" + file + "' was not found on this host (looked in " + folder.path().string() +
           "); the nodes may have it";
  }
};

TEST_F(NodesNeedTest, AProgramAndAScript) {
  spec.command = {"./train"};
  EXPECT_THAT(warnings(), ElementsAre(not_there("./train")));
  spec.command = {"sh", "train.sh"};
  EXPECT_THAT(warnings(), ElementsAre(not_there("train.sh")));
  make_program("train.sh");
  EXPECT_THAT(warnings(), ElementsAre());
  spec.command = {"no-such-program"};
  EXPECT_THAT(warnings(),
              ElementsAre("program 'no-such-program' is not in PATH on this host; the nodes may have it"));
  spec.environment.setup = {"module load it"};
  EXPECT_THAT(warnings(), ElementsAre()) << "the module may bring it";
}

TEST_F(NodesNeedTest, TheDataOfATraining) {
  make_program("ddptrain");
  spec.command.clear();
  spec.train.emplace().data.source = {"fashion_mnist", {{"root", folder / "data"}, {"normalize", true}}};
  EXPECT_THAT(warnings(), ElementsAre(testing::AllOf(HasSubstr("Fashion-MNIST is not in"),
                                                     HasSubstr("on this host; the nodes may have it"))));
  spec.environment.setup = {"module load cuda"};
  EXPECT_EQ(warnings().size(), 1u);
  spec.environment.setup = {"tar -xf data.tar"};
  EXPECT_THAT(warnings(), ElementsAre()) << "the lines may bring it";
}

TEST_F(NodesNeedTest, IsNotKnownFromHereOfHostsThatShareNoFolder) {
  auto& ssh = options_of<SshOptions>(spec);
  ssh.hosts = {{.host = "node1", .slots = {}, .address = {}}};
  ssh.stage = Stage::push;
  spec.command = {"sh", "/no/such/script"};
  EXPECT_THAT(warnings("ssh"), ElementsAre());
  spec.command = {"sh", "scripts/train.sh"};
  EXPECT_THAT(warnings("ssh"), ElementsAre(HasSubstr("'scripts/train.sh' is not copied to the hosts")));
  make_program("train.py");
  spec.command = {"python3", "train.py"};
  EXPECT_THAT(warnings("ssh"), ElementsAre(HasSubstr("'train.py' is not copied to the hosts")))
      << "though it is here";
}

TEST_F(NodesNeedTest, AScriptThatIsPushed) {
  auto& ssh = options_of<SshOptions>(spec);
  ssh.hosts = {{.host = "node1", .slots = {}, .address = {}}};
  ssh.stage = Stage::push;
  ssh.push = {"train.sh", "scripts"};
  make_program("train.sh");
  fs::create_directory(folder / "scripts");
  make_program("scripts/there.sh");
  spec.command = {"sh", "./train.sh"};
  EXPECT_THAT(warnings("ssh"), ElementsAre());
  spec.command = {"./train.sh"};
  EXPECT_THAT(warnings("ssh"), ElementsAre());
  spec.command = {"sh", "scripts/typo.sh"};
  EXPECT_THAT(warnings("ssh"),
              ElementsAre(HasSubstr("'scripts/typo.sh' was not found, so it is not copied")));
}

TEST_F(CheckRunTest, MissesAFileThatIsToBePushed) {
  auto& ssh = options_of<SshOptions>(spec);
  ssh.hosts = {{.host = "node1", .slots = {}, .address = {}}};
  ssh.stage = Stage::push;
  ssh.push = {"gone.py"};
  spec.launcher = find_launcher("ssh");
  launcher = std::move(*make_launcher("ssh", seams()));
  const auto missing = preflight(*prepare(), *launcher).errors;
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing.front().code, ExitCode::config_invalid);
  EXPECT_THAT(missing.front().message, HasSubstr("'gone.py' was not found"));
  fs::create_directories(run.root());
  ASSERT_TRUE(save_file(run.pushed_files(), "", Durability::visible));
  EXPECT_THAT(preflight(*prepare(), *launcher).errors, ElementsAre()) << "the run has its files already";
}

TEST_F(CheckRunTest, CannotForeseeWhatSetupLinesChange) {
  spec.command = {"no-such-program"};
  spec.environment.setup = {"PATH=$PATH:/opt"};
  EXPECT_TRUE(check_run(*prepare(), *launcher, seams()));
}

}  // namespace
}  // namespace ddp::cli
