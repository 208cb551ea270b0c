# A Slurm of programs that only remember how they were called, and ddpsubmit beside an agent that does the same.

# shellcheck source=tests/support/run_records.bash
source "${BASH_SOURCE[0]%/*}/run_records.bash"

use_fake_slurm() {
  isolate_user
  export FAKE_SLURM=$BATS_TEST_TMPDIR/slurm PATH=$SOURCE_DIR/tests/support/fakebin:$PATH
  # A blank and a quote in the paths: the script has to cope.
  programs=$BATS_TEST_TMPDIR/"the user's"/bin
  mkdir -p "$FAKE_SLURM" "$programs"
  cp "$DDPSUBMIT" "$programs/ddpsubmit"
  cat >"$programs/ddp-agent" <<'AGENT'
#!/bin/bash
printf '%s\n' "$@" >"$FAKE_SLURM/agent.argv"
env >"$FAKE_SLURM/agent.env"
AGENT
  cp "$programs/ddp-agent" "$programs/ddptrain"
  chmod +x "$programs"/*
  ddpsubmit=$programs/ddpsubmit
}

# compare_with_golden FILE: the file `rendered`; UPDATE_GOLDEN=1 writes FILE anew.
compare_with_golden() {
  [[ -z ${UPDATE_GOLDEN:-} ]] || cp rendered "$BATS_TEST_DIRNAME/$1"
  diff -u "$BATS_TEST_DIRNAME/$1" rendered
}

# submit CONFIG [KEY=VALUE...]: sets run_id and run_folder.
submit() {
  run_id=$("$ddpsubmit" run "$@" launcher=slurm "run_root=$BATS_TEST_TMPDIR/runs") || return
  run_folder=$BATS_TEST_TMPDIR/runs/$run_id
}

# Runs the submitted script as Slurm would.
execute_script() { SLURM_JOB_NODELIST='node[1-2]' SLURM_JOB_ID=77 bash "$run_folder/script.sbatch"; }

# What the test's own folder is called in the golden files.
with_stable_paths() { sed "s|$BATS_TEST_TMPDIR|/home/user|g; s|${BATS_TEST_TMPDIR//\'/\\\'}|/home/user|g"; }
