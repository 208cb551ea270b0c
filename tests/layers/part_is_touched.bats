# Which changes bring the tests of a part into .ci/run.

# touches PATH [PART]
touches() { "$SOURCE_DIR/tests/layers/part_is_touched" "${2:-trainer}" "$SOURCE_DIR" README.md "$1"; }

@test "the trainer, what it includes at any depth, and their tests" {
  for path in trainer/loop/new.cpp jobenv/include/ddp/jobenv/env_map.hpp jobenv/src/error.cpp jobenv/record/run_folder.hpp \
    jobenv/record/fields/json_text.cpp tests/unit/trainer/loop/new_test.cpp tests/distributed/resume.bats tests/peers/train.py; do
    [ "$(touches "$path")" = "$path" ]
  done
}

@test "what decides how everything is built and tested" {
  for path in .ci/run scripts/steps/build.bash cmake/LibTorch.cmake cli/CMakeLists.txt CMakePresets.json tests/lanes.cmake \
    python/ddpsubmit/__init__.py examples/run.yaml configs/a.yaml tests/support/eventually.bash tests/rig/slurm_rig; do
    [ "$(touches "$path")" = "$path" ]
  done
}

@test "jobenv is touched by its sources and their tests, not by what is above it" {
  for path in jobenv/agent/head/head.cpp jobenv/src/error.cpp tests/unit/jobenv/agent/new_test.cpp cmake/LibTorch.cmake; do
    [ "$(touches "$path" jobenv)" = "$path" ]
  done
  for path in trainer/loop/new.cpp cli/commands/verbs/run.cpp tests/unit/trainer/loop/new_test.cpp tests/slurm/requeue.bats; do
    run touches "$path" jobenv
    [ "$status" -eq 0 ]
    [ -z "$output" ]
  done
}

@test "not the command line, the agent, the pages, and their tests" {
  for path in cli/commands/verbs/run.cpp jobenv/agent/head/head.cpp templates/job.sbatch docs/config.md tests/cli/run.bats \
    tests/unit/cli/import/directives_test.cpp tests/slurm/requeue.bats; do
    run touches "$path"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
  done
}
