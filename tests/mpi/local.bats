# MPI programs under `command` on this machine, which ddp-agent connects as mpiexec does.
# shellcheck disable=SC2154 # run_records.bash sets the names

load ../support/local_run
load ../support/mpi_program
load ../support/mpi_training
load ../support/undisturbed

setup() {
  isolate_user
  build_mpi_program
}

teardown() { kill_processes_of_run; }

# write_mpi_run RANKS BACKEND ARGUMENT...
write_mpi_run() {
  local ranks=$1 backend=$2
  shift 2
  cat >run.yaml <<YAML
name: job
run_root: runs
resources: {tasks_per_node: $ranks}
rendezvous: {backend: $backend}
fault_tolerance: {grace_period: 2s, max_restarts: 1}
command: [$(printf '%s, ' "$@")]
YAML
}

run_to_end() {
  run "$DDPSUBMIT" run run.yaml
  use_only_run
}

@test "four ranks are one job, share their host, and leave nothing in /dev/shm" {
  write_mpi_run 4 mpi ./mpi_program once
  run_to_end
  [ "$status" -eq 0 ]
  are_connected 0 4 4
  [[ $output != *warning:*MPI* ]]
  [ -n "$(segments_of 0)" ]
  [ -z "$(left_segments 0)" ]
}

@test "a rank that is started by a shell is one, too" {
  cat >start.sh <<'SH'
./mpi_program once
SH
  write_mpi_run 2 mpi sh start.sh
  run_to_end
  [ "$status" -eq 0 ]
  are_connected 0 2 2
}

@test "a program with MPI's standard ABI and one in Python run alike" {
  "$MPI_FOLDER/bin/mpicc_abi" -o mpi_program "$SOURCE_DIR/tests/mpi/mpi_program.c" "-Wl,-rpath,$MPI_FOLDER/lib"
  write_mpi_run 2 mpi ./mpi_program once
  run_to_end
  are_connected 0 2 2
  rm -r runs
  cat >sum.py <<'PY'
from mpi4py import MPI

world = MPI.COMM_WORLD
print(f"rank {world.rank} of {world.size}, {world.size} on its host, sum {world.allreduce(world.rank)}")
PY
  write_mpi_run 2 mpi "$MPI_FOLDER/bin/python" sum.py
  run_to_end
  are_connected 0 2 2
}

@test "kill -9 of a rank: the next attempt is a job of its own, and the segments of both are gone" {
  write_mpi_run 2 mpi ./mpi_program attempts
  start_detached
  eventually all_are_up 0 2 2
  kill -9 "$(pid_of_rank 0 1)"
  "$DDPSUBMIT" wait last
  are_connected 1 2 2
  [ -n "$(segments_of 0)" ]
  [ "$(comm -12 <(segments_of 0) <(segments_of 1))" = "" ]
  [ -z "$(left_segments 0)$(left_segments 1)" ]
}

@test "kill -9 of all ranks at once leaves no segment" {
  write_mpi_run 2 mpi ./mpi_program attempts
  start_detached
  eventually all_are_up 0 2 2
  kill -9 "$(pid_of_rank 0 0)" "$(pid_of_rank 0 1)"
  "$DDPSUBMIT" wait last
  [ -z "$(left_segments 0)" ]
}

@test "a run that is cancelled leaves no segment" {
  write_mpi_run 2 mpi ./mpi_program forever
  start_detached
  eventually all_are_up 0 2 2
  "$DDPSUBMIT" cancel last
  [ "$(state_of_run)" = cancelled ]
  [ -n "$(segments_of 0)" ]
  [ -z "$(left_segments 0)" ]
  no_process_of_run
}

@test "MPI_Abort ends the run, and its error code is told" {
  write_mpi_run 3 mpi ./mpi_program abort
  sed -i 's/, max_restarts: 1//' run.yaml
  run_to_end
  [ "$status" -eq 1 ]
  [[ $output == *'rank 1 on '*': MPI_Abort was called with error code 7; the other 2 ranks were stopped'* ]]
  [ -z "$(left_segments 0)" ]
}

@test "what the ranks have mapped in /dev/shm and was there before stays" {
  local dataset
  dataset=$(mktemp /dev/shm/ddpsubmit-test-XXXXXX)
  truncate -s 4096 "$dataset"
  cat >map.py <<PY
import mmap, os
with open("$dataset", "r+b") as file:
    view = mmap.mmap(file.fileno(), 0)
    from mpi4py import MPI
    print("mapped", flush=True)
    os.kill(os.getpid(), 9)
PY
  write_mpi_run 2 mpi "$MPI_FOLDER/bin/python" map.py
  sed -i 's/, max_restarts: 1//' run.yaml
  run_to_end
  [ "$status" -eq 1 ]
  [ -e "$dataset" ]
  rm "$dataset"
}

@test "without the key each rank is alone, which is told once, with what to set" {
  write_mpi_run 3 auto ./mpi_program once
  run_to_end
  [ "$status" -eq 0 ]
  [ "$(connected_ranks 0 | uniq)" = 'rank 0 of 1, 1 on its host, sum 0' ]
  [ "$(grep -c 'warning: two or more ranks, such as . and ., have loaded an MPI library' <<<"$output")" -eq 1 ]
  [[ $output == *"$MPI_FOLDER/lib/libmpi.so.12) that nothing connects: MPI_Init makes each of them rank 0 of 1; set 'rendezvous.backend: mpi'"* ]]
  "$DDPSUBMIT" describe last | grep -q '  warning: two or more ranks'
  [[ $("$DDPSUBMIT" describe last --json | jq -r '.attempts[0].warnings[0]') == 'two or more ranks, such as '[01]' and '[12]', have loaded'* ]]
}

@test "a single rank, and programs without MPI, are not warned of" {
  write_mpi_run 1 auto ./mpi_program once
  run_to_end
  [[ $output != *'MPI library'* ]]
  rm -r runs
  write_mpi_run 2 mpi sh -c '"exit 0"'
  run_to_end
  [ "$status" -eq 0 ]
  [[ $output != *'MPI'* ]]
}

@test "ranks that mpiexec starts under a rank are not alone" {
  write_mpi_run 2 auto "$MPI_FOLDER/bin/mpiexec" -n 2 ./mpi_program once
  run_to_end
  [ "$status" -eq 0 ]
  [[ $output != *'MPI library'* ]]
}

@test "a rank that ends well before MPI_Init: the time-out after the first end ends those that wait there" {
  write_mpi_run 2 mpi ./mpi_program early
  run "$DDPSUBMIT" run run.yaml fault_tolerance.exit_timeout=2s fault_tolerance.max_restarts=0
  use_only_run
  [ "$status" -eq 1 ]
  [ "$(exit_records '"\(.rank) \(.code) \(.signal)"' | xargs)" = '0 null 9 1 0 null' ]
}

# train_over_mpi [KEY=VALUE...]: two ranks; sets run_id and run_folder.
training=(resources.tasks_per_node=2 train.epochs=null train.max_steps=1500 train.data.batch_size=16
  train.checkpoint.every_steps=40 train.checkpoint.keep=100)
train_over_mpi() {
  run_id=$("$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" "run_root=$PWD/runs" "${training[@]}" "${over_mpi[@]}" \
    fault_tolerance.max_restarts=1 --detach "$@" 2>said)
  run_folder=$PWD/runs/$run_id
}

@test "kill -9 of a rank of a training over MPI: it resumes, ends with the bytes of Gloo, and no segment is left" {
  train_over_mpi
  eventually has_checkpoint 0
  segments=$(files_in_memory)
  kill -9 "$(pid_of_rank 0 1)"
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'failed succeeded' ]
  [ -n "$segments" ]
  # shellcheck disable=SC2086 # words
  are_gone $segments
  has_bytes_of_undisturbed "$run_folder" "${training[@]}"
}

@test "a rank that hangs: the other leaves the sharded training over MPI with 76 after the time-out, and it resumes" {
  train_over_mpi rendezvous.timeout=2s train.strategy=fsdp
  eventually has_checkpoint 0
  kill -STOP "$(pid_of_rank 0 1)"
  "$DDPSUBMIT" wait last
  [ "$(outcomes)" = 'failed succeeded' ]
  [ "$(exit_records '"\(.rank) \(.code) \(.signal)"' | xargs)" = '0 76 null 1 null 9' ]
  same_end "$run_folder" "$(undisturbed "${training[@]}" train.strategy=fsdp)"
}
