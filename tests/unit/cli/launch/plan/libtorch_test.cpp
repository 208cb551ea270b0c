#include "cli/launch/plan/libtorch.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "cli/launch/plan/install_line.hpp"
#include "cli/launch/plan/programs.hpp"
#include "cli/launch/preflight/libtorch_check.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class LibTorchTest : public testing::Test {
 protected:
  /// Where a wheel of that version would put it under `packages`.
  fs::path add_torch(const fs::path& packages, const std::string& version) {
    const fs::path torch = root / packages / "torch";
    fs::create_directories(torch / "lib");
    std::ofstream(torch / "lib" / "libtorch_cpu.so");
    std::ofstream(torch / "version.py")
        << "from typing import Optional\n\n__all__ = ['__version__', 'debug']\n"
        << "__version__ = '" << version << "'\ndebug = False\n";
    return torch;
  }

  void add_trainer(const std::string& torch) {
    const fs::path folder = root / "own/libexec/ddpsubmit" / ("torch-" + torch);
    fs::create_directories(folder);
    std::ofstream(folder / "ddptrain") << "#!/bin/sh\n";
    fs::permissions(folder / "ddptrain", fs::perms::owner_all);
  }

  RunSpec resolved(const EnvMap& environment = {}) {
    RunSpec copy = spec;
    resolve_libtorch(copy, own_folder, environment);
    return copy;
  }

  std::optional<Error> unfit(const RunSpec& run) { return find_unfit_libtorch(run, located(run), EnvMap()); }
  PlanPaths located(const RunSpec& run) { return locate_programs(run, own_folder, "/work", EnvMap()); }

  TemporaryFolder root;
  fs::path own_folder = root / "own/bin";
  RunSpec spec = [] {
    RunSpec run;
    run.train.emplace();
    return run;
  }();
};

TEST_F(LibTorchTest, TheNewestPythonOfTheOwnEnvironmentComesFirst) {
  add_torch("own/lib/python3.9/site-packages", "2.10.0");
  const auto newest = add_torch("own/lib/python3.11/site-packages", "2.11.0+cu130");
  add_torch("venv/lib/python3.12/site-packages", "2.12.0");
  const auto run = resolved(EnvMap().set("VIRTUAL_ENV", root / "venv"));
  EXPECT_EQ(run.train->libtorch, newest);
  EXPECT_EQ(run.origins.by_path.at("train.libtorch").describe(), "the environment of ddpsubmit");
  EXPECT_EQ(look_for_libtorch(newest)->version, "2.11.0");
}

TEST_F(LibTorchTest, AnEnvironmentThatTheSubmitterIsInIsAskedNext) {
  const auto torch = add_torch("conda/lib/python3.12/site-packages", "2.11.0");
  const auto run = resolved(EnvMap().set("VIRTUAL_ENV", root / "venv").set("CONDA_PREFIX", root / "conda"));
  EXPECT_EQ(run.train->libtorch, torch);
  EXPECT_EQ(run.origins.by_path.at("train.libtorch").describe(), "CONDA_PREFIX");
  EXPECT_EQ(run.origins.mark("train.libtorch")->text, "CONDA_PREFIX=" + (root / "conda").string());
}

TEST_F(LibTorchTest, PackagesBesideTheProgramsAreFound) {
  EXPECT_EQ(resolved().train->libtorch, std::nullopt);
  const auto torch = add_torch("own", "2.11.0");
  EXPECT_EQ(resolved().train->libtorch, torch);
}

TEST_F(LibTorchTest, SoAreThoseOfDebiansPython) {
  const auto torch = add_torch("own/lib/python3.12/dist-packages", "2.11.0");
  EXPECT_EQ(resolved().train->libtorch, torch);
}

TEST_F(LibTorchTest, AVirtualEnvironmentThatSeesThePackagesOfItsPythonHasTheirTorch) {
  const auto torch = add_torch("module/lib/python3.12/site-packages", "2.11.0");
  fs::create_directories(root / "own/lib/python3.12/site-packages");
  const auto make_environment = [&](const std::string& sees) {
    std::ofstream(root / "own/pyvenv.cfg")
        << "home = " << (root / "module/bin").string() << "\ninclude-system-site-packages = " << sees
        << "\nversion = 3.12.1\n";
  };
  make_environment("false");
  EXPECT_EQ(resolved().train->libtorch, std::nullopt);
  make_environment("true");
  EXPECT_EQ(resolved().train->libtorch, torch);
  const auto own = add_torch("own/lib/python3.12/site-packages", "2.11.0");
  EXPECT_EQ(resolved().train->libtorch, own);
}

TEST_F(LibTorchTest, WhatTheFileNamesWins) {
  add_torch("own/lib/python3.11/site-packages", "2.11.0");
  const auto named = add_torch("elsewhere", "2.11.0");
  spec.train->libtorch = root / "elsewhere";
  EXPECT_EQ(resolved().train->libtorch, named) << "the folder around torch will do";
  EXPECT_EQ(located(resolved()).libraries.first, named / "lib");
}

TEST_F(LibTorchTest, NothingIsFoundForARunThatSaysItselfWhereLibrariesAre) {
  add_torch("own/lib/python3.11/site-packages", "2.11.0");
  spec.environment.set["LD_LIBRARY_PATH"] = "/opt/torch/lib";
  EXPECT_EQ(resolved().train->libtorch, std::nullopt);
}

TEST_F(LibTorchTest, NothingIsFoundForATrainerOfTheUser) {
  add_torch("own/lib/python3.11/site-packages", "2.11.0");
  spec.train->program = "build/own_trainer";
  EXPECT_EQ(resolved().train->libtorch, std::nullopt);
}

TEST_F(LibTorchTest, ABuildOfTheSourceHasItsOwn) {
  add_torch("own/lib/python3.11/site-packages", "2.11.0");
  fs::create_directories(own_folder / "libtorch/lib");
  std::ofstream(own_folder / "libtorch/lib/libtorch_cpu.so");
  EXPECT_EQ(resolved().train->libtorch, std::nullopt);
}

TEST_F(LibTorchTest, AnInstallationWithItsOwnKeepsIt) {
  add_trainer("2.11.0");
  const auto torch = root / "own/libexec/ddpsubmit/torch-2.11.0/libtorch";
  fs::create_directories(torch / "lib");
  std::ofstream(torch / "lib/libtorch_cpu.so");
  add_torch("conda/lib/python3.12/site-packages", "2.13.0");
  EXPECT_EQ(resolved(EnvMap().set("CONDA_PREFIX", root / "conda")).train->libtorch, std::nullopt);
}

TEST_F(LibTorchTest, AnInheritedPathOfLibrariesThatLeadsToOneWins) {
  const auto torch = add_torch("conda/lib/python3.12/site-packages", "2.11.0");
  const auto environment = EnvMap().set("CONDA_PREFIX", root / "conda");
  EXPECT_EQ(resolved(EnvMap(environment).set("LD_LIBRARY_PATH", "/opt/lib")).train->libtorch, torch);
  EXPECT_EQ(resolved(EnvMap(environment).set("LD_LIBRARY_PATH", "/opt/lib:" + (torch / "lib").string()))
                .train->libtorch,
            std::nullopt);
}

TEST_F(LibTorchTest, WhatSetUpLinesLeadToComesBeforeAnActiveEnvironment) {
  const auto torch = add_torch("conda/lib/python3.12/site-packages", "2.9.1");
  add_trainer("2.9.1");
  add_trainer("2.11.0");
  const auto environment = EnvMap().set("CONDA_PREFIX", root / "conda");
  spec.environment.setup = {"module load libtorch"};
  const auto run = resolved(environment);
  EXPECT_EQ(run.train->libtorch, std::nullopt);
  EXPECT_EQ(located(run).libraries, (LibraryFolders{.first = {}, .spare = torch / "lib"}));
  EXPECT_THAT(located(run).trainer, HasSubstr("/torch-2.9.1/"));
  const auto own = add_torch("own/lib/python3.12/site-packages", "2.11.0");
  EXPECT_EQ(resolved(environment).train->libtorch, own);
  EXPECT_EQ(resolved(environment).spare_libtorch, "");
}

TEST_F(LibTorchTest, AVersionThatSetUpLinesCouldCorrectIsAWarning) {
  add_torch("conda/lib/python3.12/site-packages", "2.13.0");
  add_trainer("2.11.0");
  spec.environment.setup = {"module load libtorch"};
  const auto run = resolved(EnvMap().set("CONDA_PREFIX", root / "conda"));
  EXPECT_EQ(unfit(run), std::nullopt);
  const auto warning = find_doubtful_libtorch(run, located(run), EnvMap());
  ASSERT_TRUE(warning);
  EXPECT_THAT(*warning, AllOf(StartsWith("CONDA_PREFIX leads to a torch that does not fit: "),
                              HasSubstr("a ddptrain for torch 2.11.0; ranks load it unless set-up lines")));
}

TEST_F(LibTorchTest, BehindSetUpLinesNothingIsTakenThatTheFileCouldNotName) {
  add_torch("a:b/lib/python3.12/site-packages", "2.11.0");
  spec.environment.setup = {"module load libtorch"};
  EXPECT_EQ(resolved(EnvMap().set("CONDA_PREFIX", root / "a:b")).spare_libtorch, "");
  const auto torch = add_torch("open/lib/python3.12/site-packages", "2.11.0");
  const auto environment = EnvMap().set("CONDA_PREFIX", root / "open");
  EXPECT_EQ(resolved(environment).spare_libtorch, torch);
  fs::permissions(torch / "lib", fs::perms::all);
  EXPECT_EQ(resolved(environment).spare_libtorch, "") << "everybody can write to it";
}

TEST_F(LibTorchTest, APathOfLibrariesChoosesTheTrainer) {
  const auto torch = add_torch("elsewhere", "2.9.1");
  add_trainer("2.9.1");
  add_trainer("2.11.0");
  spec.environment.set["LD_LIBRARY_PATH"] = "/opt/lib:" + (torch / "lib/").string();
  EXPECT_THAT(located(resolved()).trainer, HasSubstr("/torch-2.9.1/"));
  EXPECT_EQ(unfit(resolved()), std::nullopt);
}

TEST_F(LibTorchTest, APathOfLibrariesToAnotherVersionIsRefused) {
  const auto torch = add_torch("elsewhere", "2.13.0");
  add_trainer("2.11.0");
  const auto environment = EnvMap().set("LD_LIBRARY_PATH", torch / "lib");
  const auto error = find_unfit_libtorch(spec, located(resolved()), environment);
  ASSERT_TRUE(error);
  EXPECT_THAT(error->hint, HasSubstr("out of LD_LIBRARY_PATH"));
  EXPECT_EQ(error->message, "LD_LIBRARY_PATH leads to a torch that does not fit: '" + torch.string() +
                                "' is torch 2.13.0, and this installation has a ddptrain for torch 2.11.0");
  auto with_lines = spec;
  with_lines.environment.setup = {"module load libtorch"};
  EXPECT_EQ(find_unfit_libtorch(with_lines, located(with_lines), environment), std::nullopt);
  EXPECT_THAT(find_doubtful_libtorch(with_lines, located(with_lines), environment).value_or(""),
              StartsWith("LD_LIBRARY_PATH leads to a torch that does not fit: "));
}

TEST_F(LibTorchTest, ABuildOfTheSourceRefusesAnotherVersionToo) {
  fs::create_directories(own_folder / "libtorch/lib");
  std::ofstream(own_folder / "libtorch/lib/libtorch_cpu.so");
  std::ofstream(own_folder / "libtorch/build-version") << "2.11.0+cpu\n";
  std::ofstream(own_folder / "ddptrain") << "#!/bin/sh\n";
  fs::permissions(own_folder / "ddptrain", fs::perms::owner_all);
  spec.train->libtorch = add_torch("elsewhere", "2.11.0");
  EXPECT_EQ(unfit(resolved()), std::nullopt);
  spec.train->libtorch = add_torch("newer", "2.13.0");
  ASSERT_TRUE(unfit(resolved()));
  EXPECT_THAT(unfit(resolved())->message, HasSubstr("has a ddptrain for torch 2.11.0"));
}

TEST_F(LibTorchTest, WhatIsNoTorchSaysNoVersion) {
  const auto version = [&](const std::string& path) {
    spec.environment.set["LD_LIBRARY_PATH"] = path;
    const auto found = libtorch_in_library_path(spec, EnvMap());
    return found ? found->version : "none";
  };
  const auto torch = add_torch("elsewhere", "2.13.0.post300");
  EXPECT_EQ(version("/opt/lib;" + (torch / "lib").string()), "2.13.0");
  fs::create_directories(root / "project");
  std::ofstream(root / "project/version.py") << "__version__ = '0.3.1'\n";
  fs::create_symlink(torch / "lib", root / "project/lib");
  EXPECT_EQ(version((root / "project/lib").string()), "2.13.0");
  fs::remove(root / "project/lib");
  fs::create_directories(root / "project/lib");
  std::ofstream(root / "project/lib/libtorch_cpu.so");
  EXPECT_EQ(version((root / "project/lib").string()), "");
  EXPECT_EQ(version("::"), "none");
}

TEST_F(LibTorchTest, ATrainerOfTheUserIsTakenWhateverItsFolderIsCalled) {
  spec.train->libtorch = add_torch("elsewhere", "2.11.0");
  spec.train->program = "/x/torch-2.9/mine";
  EXPECT_EQ(unfit(resolved()), std::nullopt);
}

TEST_F(LibTorchTest, APathThatTheLoaderWouldReadOtherwiseIsRefused) {
  spec.train->libtorch = add_torch("a:b", "2.11.0");
  const auto error = unfit(resolved());
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("cannot be a path of libraries: it has a ':'"));
}

TEST_F(LibTorchTest, TheNewestTrainerIsThatOfTheHighestNumber) {
  add_trainer("2.9.1");
  add_trainer("2.11.0");
  EXPECT_THAT(located(resolved()).trainer, HasSubstr("/torch-2.11.0/"));
}

TEST_F(LibTorchTest, TheTrainerIsThatOfTheVersion) {
  add_torch("own/lib/python3.11/site-packages", "2.11.0");
  add_trainer("2.11.0");
  add_trainer("2.15.0");
  const auto run = resolved();
  EXPECT_THAT(located(run).trainer, HasSubstr("/libexec/ddpsubmit/torch-2.11.0/ddptrain"));
  EXPECT_EQ(unfit(run), std::nullopt);
}

TEST_F(LibTorchTest, AVersionWithoutATrainerIsRefusedWithWhatToInstall) {
  add_torch("own/lib/python3.11/site-packages", "2.15.1");
  add_trainer("2.11.0");
  add_trainer("2.15.0");
  const auto run = resolved();
  const auto error = unfit(run);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ExitCode::preflight_failed);
  EXPECT_THAT(error->message,
              HasSubstr("is torch 2.15.1, and this installation has a ddptrain for torch 2.11.0 and 2.15.0"));
  EXPECT_THAT(error->hint, HasSubstr("pip install torch==2.15.0)"));
}

TEST_F(LibTorchTest, WithoutATrainerItIsSaidHowToInstallIt) {
  const auto run = resolved();
  const auto errors = find_missing_programs(run, located(run), EnvMap());
  ASSERT_EQ(errors.size(), 2U) << "nor is there an agent";
  EXPECT_THAT(errors.back().hint, HasSubstr(kInstallLine));
}

TEST_F(LibTorchTest, ATrainerOfTheUserThatIsAbsentIsNothingToInstall) {
  spec.train->program = "build/own_trainer";
  const auto run = resolved();
  EXPECT_THAT(find_missing_programs(run, located(run), EnvMap()).back().hint,
              AllOf(HasSubstr("train.program"), Not(HasSubstr("pip"))));
}

TEST_F(LibTorchTest, WhatToDoAboutLibrariesNamesTheTorchOfAnInstalledTrainer) {
  add_trainer("2.11.0");
  EXPECT_THAT(
      advise_on_libraries(located(resolved()).trainer),
      AllOf(HasSubstr("looked for in " + fs::path(root / "own").string() + ", VIRTUAL_ENV"),
            HasSubstr("train.libtorch=\"$(python3 -c"), testing::EndsWith("pip install torch==2.11.0")));
  EXPECT_THAT(advise_on_libraries("/x/torch-2.9/mine"), Not(HasSubstr("pip")));
}

TEST_F(LibTorchTest, AFolderThatHoldsNoneIsRefused) {
  add_trainer("2.11.0");
  spec.train->libtorch = root / "nowhere";
  const auto error = unfit(resolved());
  ASSERT_TRUE(error);
  EXPECT_THAT(error->message, HasSubstr("nowhere' has no lib/libtorch_cpu.so"));
}

TEST_F(LibTorchTest, ALibTorchWithoutPythonSaysItsVersionInBuildVersion) {
  const fs::path folder = root / "libtorch";
  fs::create_directories(folder / "lib");
  std::ofstream(folder / "lib" / "libtorch_cpu.so");
  std::ofstream(folder / "build-version") << "2.11.0+cpu\n";
  EXPECT_EQ(look_for_libtorch(folder)->version, "2.11.0");
}

}  // namespace
}  // namespace ddp::cli
