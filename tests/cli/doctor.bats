# What doctor says of this machine, and of a run on it.

# shellcheck disable=SC2030,SC2031 # what a test sets is its own

load ../support/local_run

setup() {
  isolate_user
  write_config 2 'echo never'
}

# verdict CHECK: of the check of that name, in the answer in the file `answer`.
verdict() { jq -r --arg check "$1" '.checks[] | select(.check == $check) | .verdict' answer; }
found() { jq -r --arg check "$1" '.checks[] | select(.check == $check) | .found' answer; }

examine() {
  "$DDPSUBMIT" doctor run.yaml --json "$@" >answer 2>said && status=0 || status=$?
}

# in_own_mounts COMMAND: as examine, after COMMAND, whose mounts nobody else sees.
in_own_mounts() {
  unshare --mount bash -c "$1 && exec \"\$0\" doctor run.yaml --json" "$DDPSUBMIT" >answer 2>said && status=0 || status=$?
}

@test "this machine: each check with a verdict; without a configuration no Slurm is needed" {
  printf '#!/bin/sh\necho "error: resolve_ctls_from_dns_srv: Unknown host" >&2\nexit 1\n' >sbatch
  chmod +x sbatch
  PATH=$PWD:$PATH run "$DDPSUBMIT" doctor
  [ "$status" -eq 0 ]
  [[ $output == *'ok       programs '*ddpsubmit*ddp-agent* ]]
  [[ $output == *"$PWD/runs (does not exist yet): "*free* ]]
  [[ $output == *'skipped  controller '* ]]
  [ ! -e runs ]
}

@test "a run on this machine: its ranks meet and reduce; nothing of it is left" {
  examine
  [ "$status" -eq 0 ]
  [ "$(jq -r '"\(.schema) \(.healthy) \(.bad_hosts) \(.kept_run)"' answer)" = 'ddpsubmit.doctor.v1 true [] null' ]
  [ "$(verdict probe)" = ok ]
  [ "$(jq '.nodes | length' answer)" = 1 ]
  [ "$(jq -r '.nodes[0].host' answer)" = "$(hostname)" ]
  (($(jq '.nodes[0].run_root.free_bytes' answer) > 0))
  (($(jq '.nodes[0].network.free_port' answer) > 0))
  if [[ -x ${DDPSUBMIT%/*}/ddptrain ]]; then [[ $(found 'process group') == '2 ranks joined over Gloo '* ]]; fi
  [ "$(jq '.runs | length' <<<"$("$DDPSUBMIT" list --json)")" = 0 ]
  [ ! -e runs ]
}

@test "a run_root that cannot be written to: exit 10, and no run is tried" {
  examine run_root=/proc/runs
  [ "$status" -eq 10 ]
  [ "$(verdict run_root)" = error ]
  [[ $(found run_root) == *'cannot write to /proc'* ]]
  [ "$(verdict nodes)" = skipped ]
}

@test "a program that set-up lines do not provide, either, is named" {
  write_config 2 'echo never'
  examine 'command=[made_by_setup]'
  [ "$status" -eq 10 ]
  [[ $(found run) == "program 'made_by_setup' is not in PATH" ]]
  examine 'command=[made_by_setup]' "environment.setup=['cd /']"
  [ "$status" -eq 10 ]
  [[ $(found program) == "'made_by_setup' is not in PATH ("*"), on $(hostname)" ]]
  mkdir made
  ln -s /bin/true made/made_by_setup
  examine 'command=[made_by_setup]' "environment.setup=['PATH=$PWD/made:\$PATH']"
  [ "$status" -eq 0 ]
}

@test "a run_root without room is named" {
  can_mount || skip 'it takes root to mount a small disk'
  mkdir runs
  in_own_mounts 'mount -t tmpfs -o size=64k small runs'
  [ "$status" -eq 10 ]
  [ "$(verdict run_root)" = error ]
  [[ $(found run_root) == *'tmpfs, 0 MiB'* ]]
}

@test "a read-only run_root is named" {
  can_mount || skip 'it takes root to mount'
  mkdir runs
  in_own_mounts 'mount -t tmpfs -o ro fixed runs'
  [ "$status" -eq 10 ]
  [[ $(found run_root) == *'cannot write to '*'Read-only file system'* ]]
}

@test "a ddptrain without its libraries: they are named" {
  trainer=${DDPSUBMIT%/*}/ddptrain
  [[ -x $trainer ]] || skip 'ddptrain is not built'
  can_mount || skip 'it takes root to hide a folder'
  libraries=$(ldd "$trainer" | sed -n 's|.*=> \(.*\)/libtorch_cpu.so .*|\1|p')
  in_own_mounts "mount -t tmpfs hidden '$libraries'"
  [ "$status" -eq 0 ]
  [[ $(found ddptrain) == 'this run does not use it'* ]]
  cat >run.yaml <<'YAML'
run_root: runs
train:
  max_steps: 1
  model: {name: mlp, hidden_dims: [8]}
  data: {name: synthetic, samples: 256, batch_size: 32}
  optimizer: {name: sgd}
YAML
  in_own_mounts "mount -t tmpfs hidden '$libraries'"
  [ "$status" -eq 10 ]
  [[ $(found ddptrain) == 'missing libraries: '*libtorch_cpu.so* ]]
}

@test "a ddp-agent that is missing, or of another version, is named" {
  mkdir bin
  cp "$DDPSUBMIT" bin/
  DDPSUBMIT=$PWD/bin/ddpsubmit
  examine
  [ "$status" -eq 10 ]
  [[ $(found programs) == *ddp-agent* ]]
  printf '#!/bin/sh\necho ddp-agent 0.0.1\n' >bin/ddp-agent
  chmod +x bin/ddp-agent
  examine
  [ "$status" -eq 10 ]
  [[ $(found programs) == *', but ddp-agent 0.0.1' ]]
}

@test "what run would refuse, doctor names: resources that this machine lacks" {
  examine resources.gpus_per_node=99
  [ "$status" -eq 10 ]
  [ "$(verdict run)" = error ]
  [[ $(found run) == *'resources.gpus_per_node is 99'* ]]
}

@test "Slurm is needed for a run there, and named when it is not here" {
  mkdir tools
  ln -s "$(command -v env)" tools/
  PATH=$PWD/tools "$DDPSUBMIT" doctor run.yaml launcher=slurm --json >answer && status=0 || status=$?
  [ "$status" -eq 10 ]
  [ "$(verdict 'Slurm tools')" = error ]
  [[ $(found 'Slurm tools') == *sbatch* ]]
}

@test "a mistake in the file comes first: exit 3" {
  run "$DDPSUBMIT" doctor run.yaml nodess=3
  [ "$status" -eq 3 ]
}

@test "an interrupt ends the probe, and leaves nothing" {
  write_config 1 true
  # A set-up line that takes its time.
  "$DDPSUBMIT" doctor run.yaml 'environment.setup=[touch up.0; sleep 1000]' >output 2>said 3>&- &
  doctor=$!
  eventually ranks_are_up 1
  kill -INT "$doctor"
  wait "$doctor" && status=0 || status=$?
  [ "$status" -eq 130 ]
  [ ! -e runs ]
}
