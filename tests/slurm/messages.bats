# What is read first on a cluster, word by word: what doctor finds, and why a run is not submitted. See support/golden.bash.

bats_require_minimum_version 1.5.0
load ../support/eventually
load ../support/slurm_run
load ../support/golden

setup() {
  isolate_user
  [[ $(sbatch --version) == *' 22.05.'* ]] || skip 'other versions of Slurm have other words'
  eventually nodes_are_idle
  cat >run.yaml <<'YAML'
name: job
launcher: slurm
run_root: runs
resources:
  nodes: 2
  time: 5m
slurm: {partition: short}
command: ["true"]
YAML
}
nodes_are_idle() { [[ $(sinfo -h -N -o %T | sort -u) == idle ]]; }

# refusal NAME [KEY=VALUE...]: what `run` says of run.yaml with these values, which cannot run, is the text of that name.
refusal() {
  run -10 --separate-stderr "$DDPSUBMIT" run run.yaml "${@:2}"
  is_golden "$1" <<<"$stderr"
}

# of_slurm: stdin without the checks that are of the machine, and the version of Slurm.
of_slurm() {
  sed -E -e 's#slurm-wlm [0-9.]+#slurm-wlm <version>#' |
    awk '/^ / { if (shown) print; next } { shown = $0 ~ /^[a-z]+ +(Slurm tools|munge|controller|partitions|nodes) / } shown'
}

@test "doctor, with a partition that is not there" {
  run -10 --separate-stderr "$DDPSUBMIT" doctor run.yaml slurm.partition=shrot
  of_slurm <<<"$output" | is_golden slurm_doctor
}

@test "a time limit that is longer than that of the partition" { refusal slurm_time_limit resources.time=20m; }

@test "more nodes, ranks and GPUs than a partition has" {
  refusal slurm_too_large resources.nodes=3 resources.tasks_per_node=5 resources.gpus_per_node=5
}

@test "what only the controller knows" { refusal slurm_refused slurm.reservation=none; }
