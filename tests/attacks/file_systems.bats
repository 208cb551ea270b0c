# The file system of a run stalls for a minute, or becomes read-only under it.
# shellcheck disable=SC2016 # what is in single quotes is for the shells of the ranks

load ../support/attacked_training

setup() {
  isolate_user
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
  mount_volume
}

teardown() {
  thaw 2>/dev/null || true
  kill_processes_of_run
  umount --lazy volume 2>/dev/null || true
}

# mount_volume: a file system of its own, at volume.
mount_volume() {
  ((EUID == 0)) || skip 'it takes root to mount a file system'
  truncate --size 300M disk
  mkfs.ext4 -q -E nodiscard disk
  mkdir volume
  mount -o loop,errors=remount-ro disk volume 2>/dev/null || skip 'no loop device here'
}

freeze() { fsfreeze --freeze volume; }
thaw() { fsfreeze --unfreeze volume; }

# As after an error of the disk. It stays so. What was written before is on the disk.
becomes_read_only() {
  sync --file-system volume
  echo 'a test' >"/sys/fs/ext4/$(basename "$(findmnt --noheadings --output SOURCE volume)")/trigger_fs_error"
  run touch volume/file
  [ "$status" -ne 0 ]
}

start_on_volume() { start_training "$1" "$PWD/volume/runs"; }

@test "it stalls for a minute: the training goes on afterwards, in the same attempt" {
  start_on_volume 3000
  freeze
  sleep 60
  thaw
  succeeded_at_once
}

@test "it stalls, and a command has its grace and ends meanwhile: the run tells its end afterwards" {
  write_config 2 ': >"$HOME/up.$RANK"; sleep 5; exit 3'
  sed -i "s|^run_root: .*|run_root: $PWD/volume/runs|" run.yaml
  run_id=$("$DDPSUBMIT" run run.yaml --detach)
  run_folder=$PWD/volume/runs/$run_id
  eventually ranks_are_up 2
  freeze
  sleep 60
  thaw
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  [ "$(state_of_run)" = failed ]
  [[ $output == *'exit'*3* ]]
  eventually no_process_of_run
}

# A training does without the checkpoints and the lines that it cannot write: it goes on, until somebody sees that it has fallen silent.
@test "it becomes read-only: a cancel leaves nothing, and the run resumes from its checkpoint once it is mounted anew" {
  start_on_volume 3000
  becomes_read_only
  "$DDPSUBMIT" cancel "$run_id" || true
  eventually no_process_of_run
  [ "$(state_of_run)" != succeeded ]
  umount volume
  e2fsck -fy disk >/dev/null || (($? < 4))
  mount -o loop disk volume
  "$DDPSUBMIT" rerun "$run_id" --detach
  "$DDPSUBMIT" wait "$run_id"
  grep -Eqx 'resumed from step [1-9][0-9]*' "$run_folder/logs/attempt-1/rank-0.out"
  has_bytes_of_undisturbed "$run_folder" resources.tasks_per_node=2 "${training[@]}"
}
