# Trainings and collectives over MPI. MPICH's mpiexec starts the ranks here.

load ../support/eventually
load ranks

setup() {
  [ -n "$MPIEXEC" ] || skip "no MPI is installed (scripts/mpi_venv)"
  cd "$BATS_TEST_TMPDIR" || exit 1
}

teardown() { leave_no_rank; }

# over_mpi CONFIG: prints the name of the same configuration over MPI.
over_mpi() { sed 's/^rendezvous: {/&backend: mpi, /' "$1" >mpi.yaml && echo mpi.yaml; }

@test "collectives over MPI have the bytes of Gloo at two ranks, and repeat themselves at four" {
  for ranks in 2 4; do
    run run_mpi "$ranks" "check-$ranks" "$TRAINER_PARTS" mpi_collectives check
    cat "check-$ranks"/*
    [[ ! $output =~ [1-9] ]]
  done
}

@test "groups of some of the ranks have their own collectives" {
  run run_mpi 4 groups "$TRAINER_PARTS" split_groups check mpi
  cat groups/*
  [ "$output" = "0 0 0 0" ]
}

@test "groups that are gone leave room for others" {
  run run_mpi 4 many "$TRAINER_PARTS" split_groups many mpi
  cat many/*.err
  [ "$output" = "0 0 0 0" ]
}

@test "operations behind one that MPI refuses fail, too" {
  cat >refusing.c <<'C'
#include <mpi_abi.h>
int MPI_Iallreduce_c(const void* from, void* to, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm group, MPI_Request* request) {
  static int calls;
  return ++calls == 20 ? MPI_ERR_OTHER : PMPI_Iallreduce_c(from, to, count, type, op, group, request);
}
C
  folder=$(dirname "$DDPTRAIN_MPI_LIBRARY")
  cc -shared -fPIC -I"$folder/../include" -o refusing.so refusing.c "$DDPTRAIN_MPI_LIBRARY" -Wl,-rpath,"$folder"
  DDPTRAIN_MPI_LIBRARY=$PWD/refusing.so run run_mpi 2 refused "$TRAINER_PARTS" mpi_collectives fail
  cat refused/*
  [ "$output" = "0 0" ]
  [ "$(cat refused/rank-0.out)" -ge 81 ]
}

@test "a training over MPI has the bytes of Gloo at two ranks, and repeats itself at four" {
  convnet config.yaml 6
  run_ranks 2 gloo "$DDPTRAIN" --config config.yaml
  for dir in mpi-2 mpi-4 again-4; do
    ranks=${dir#*-}
    run run_mpi "$ranks" "$dir" "$DDPTRAIN" --config "$(over_mpi config.yaml)"
    cat "$dir"/*.err
    [[ ! $output =~ [1-9] ]]
  done
  same_checkpoint gloo mpi-2
  same_checkpoint mpi-4 again-4
}

@test "gradients travel in 16 bits, with the bytes of Gloo" {
  convnet config.yaml 6
  for hook in fp16 bf16; do
    sed "s/bucket_cap_mib: 1/&, comm_hook: $hook/" config.yaml >"$hook.yaml"
    [ "$(run_ranks 2 "gloo-$hook" "$DDPTRAIN" --config "$hook.yaml")" = "0 0" ]
    [ "$(run_mpi 2 "mpi-$hook" "$DDPTRAIN" --config "$(over_mpi "$hook.yaml")")" = "0 0" ]
    same_checkpoint "gloo-$hook" "mpi-$hook"
  done
}

@test "parameters are sharded over MPI: fsdp at two ranks, hsdp at twice two, with the bytes of Gloo" {
  blocks '  strategy: fsdp' 6
  [ "$(run_ranks 2 gloo-fsdp "$BLOCKS_TRAINER" --config config.yaml)" = "0 0" ]
  [ "$(run_mpi 2 mpi-fsdp "$BLOCKS_TRAINER" --config "$(over_mpi config.yaml)")" = "0 0" ]
  same_shards gloo-fsdp mpi-fsdp
  blocks '  strategy: hsdp
  hsdp: {shard: 2}' 6
  [ "$(run_ranks 4 gloo-hsdp "$BLOCKS_TRAINER" --config config.yaml)" = "0 0 0 0" ]
  [ "$(run_mpi 4 mpi-hsdp "$BLOCKS_TRAINER" --config "$(over_mpi config.yaml)")" = "0 0 0 0" ]
  same_shards gloo-hsdp mpi-hsdp
}

@test "a parameter server over MPI has the bytes of one over Gloo" {
  convnet config.yaml 6
  sed -i 's/^  ddp: .*/  strategy: parameter_server/' config.yaml
  [ "$(run_ranks 2 gloo "$DDPTRAIN" --config config.yaml)" = "0 0" ]
  [ "$(run_mpi 2 mpi "$DDPTRAIN" --config "$(over_mpi config.yaml)")" = "0 0" ]
  same_checkpoint gloo mpi
}

@test "when a rank is killed or hangs, the others leave with 76 after the time-out" {
  convnet config.yaml 100000
  sed -i 's/timeout: 60s/timeout: 2s/' config.yaml
  for signal in KILL STOP; do
    start_mpi 3 "$signal" "$DDPTRAIN" --config "$(over_mpi config.yaml)"
    eventually reached "$signal" 3
    kill -s "$signal" "$(cat "$signal/pid-1")"
    eventually test -e "$signal/end-2"
    eventually test -e "$signal/end-0"
    grep 'another rank has exited or does not respond: .* was not done within 2000 ms' "$signal/rank-0.err"
    [ "$signal" = KILL ] || kill -KILL "$(cat "$signal/pid-1")"
    ended "$signal" "76 -9 76"
  done
}

@test "a rank that does not come to MPI_Init ends the others with 76" {
  convnet config.yaml 1
  sed -i 's/timeout: 60s/timeout: 2s/' config.yaml
  # shellcheck disable=SC2016 # the rank's own variables
  start_mpi 2 run sh -c '[ "$PMI_RANK" = 0 ] || exec sleep 1000; exec "$@"' sh "$DDPTRAIN" --config "$(over_mpi config.yaml)"
  eventually grep 'another rank has exited or does not respond' run/rank-0.err
  kill "$(cat run/pid-1)"
  ended run "76 -15"
}

@test "ranks that MPI does not know as those of one run exit with 3" {
  convnet config.yaml 1
  ends=$(run_ranks 2 run "$DDPTRAIN" --config "$(over_mpi config.yaml)")
  [[ $ends == '3 3' || $ends == '3 76' ]] # rank 1 has no store if it starts after the end of rank 0
  grep 'MPI says rank 0 of 1, but this is rank 0 of 2 of the run' run/rank-0.err
}

@test "an MPI library or a plug-in that is not there is exit 3, with what to install" {
  convnet config.yaml 1
  DDPTRAIN_MPI_LIBRARY=/nowhere/libmpi_abi.so.1 run run_ranks 1 library "$DDPTRAIN" --config "$(over_mpi config.yaml)"
  [ "$output" = 3 ]
  grep 'no MPI library can be loaded: /nowhere/libmpi_abi.so.1: .*pip install mpich' library/rank-0.err
  mkdir bare
  cp "$DDPTRAIN" bare/ddptrain
  ln -s "$(dirname "$DDPTRAIN")/libtorch" bare/libtorch
  run run_ranks 1 plugin bare/ddptrain --config mpi.yaml
  [ "$output" = 3 ]
  grep 'libddp_mpi.so: cannot open shared object file.*install the trainer together with libddp_mpi.so' plugin/rank-0.err
}
