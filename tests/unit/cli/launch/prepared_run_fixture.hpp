#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cli/launch/launchers.hpp"
#include "cli/launch/plan/prepared_run.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/fake_system.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ddp::cli {

/// A `command:` run with fake programs beside ddpsubmit.
class PreparedRunTest : public testing::Test {
 protected:
  PreparedRunTest() {
    make_program("ddp-agent");
    submitter = EnvMap({{"PATH", "/usr/bin:/bin"},
                        {"XDG_STATE_HOME", folder / "state"},
                        {"API_KEY", "s3cret"},
                        {"SLURM_JOB_ID", "1"}});
    spec.name = "job";
    spec.run_root = folder / "runs";
    spec.command = {"true"};
    outside.host.processes[4242] = 1000;
    launcher = std::move(*make_launcher("local", seams()));
  }

  void make_program(const std::string& name) {
    (void)save_file(folder / name, "#!/bin/sh\n", Durability::visible);
    std::filesystem::permissions(folder / name, std::filesystem::perms::owner_all);
  }
  LauncherSeams seams() { return {outside.system(), submitter}; }
  Expected<PreparedRun> prepare() {
    return prepare_run(
        spec, {.folder = run, .work_dir = folder.path(), .own_folder = folder.path(), .submitter = submitter},
        *launcher, "t0ken");
  }

  TemporaryFolder folder;
  FakeSystem outside;
  EnvMap submitter;
  RunSpec spec;
  RunFolder run{folder / "runs" / "job-1"};
  std::unique_ptr<Launcher> launcher;
};

}  // namespace ddp::cli
