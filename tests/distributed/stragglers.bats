# A rank that holds up the others, because it gets less of its CPU than they do, is named.

load ../support/eventually
load ranks

setup() { cd "$BATS_TEST_TMPDIR" || exit 1; }

teardown() { speed_up; }

# names_straggler STRATEGY: of three ranks.
names_straggler() {
  local slow=$((RANDOM % 3))
  convnet config.yaml 100000
  sed -i "s/batch_size: 4/batch_size: 16/; s/every_steps: 1}/every_steps: 3}/; s/^  ddp:.*/  strategy: $1/" config.yaml
  start_ranks 3 run "$DDPTRAIN" --config config.yaml
  eventually reached run 5
  slow_down "$(pid_of run "$slow")"
  eventually grep "^WARNING: rank $slow on localhost is a straggler: it takes [0-9.]* ms per step, including [0-9.]* ms waiting for data; the median of all ranks is [0-9.]* ms per step\$" run/rank-0.out
  local warned # after this step
  warned=$(sed -n "/^WARNING: rank $slow /q; s,^step \([0-9]*\)/.*,\1,p" run/rank-0.out | tail -1)
  eventually reached run $((warned + 20))
  speed_up
  kill -TERM "$(pid_of run 0)"
  ended run "75 75 75"
  [ "$(grep -c "^WARNING: rank $slow on" run/rank-0.out)" = 1 ]
  jq -es "any(.[]; .kind == \"train\" and .step == $warned and .slowest_rank == $slow and
    (.rank_ms | length) == 3 and (.rank_ms[.slowest_rank] - .slowest_rank_ms | fabs) < 0.001 and
    .slowest_rank_ms > 1.5 * .median_rank_ms and .slowest_rank_data_wait_ms < .slowest_rank_ms)" run/metrics.jsonl
}

@test "the slow one of three ranks is told once, and in each record" { names_straggler ddp; }

@test "so it is when ranks wait for each other's parameters, too" { names_straggler fsdp; }

@test "one rank holds nobody up" {
  convnet config.yaml 3
  run run_ranks 1 run "$DDPTRAIN" --config config.yaml
  [ "$output" = 0 ]
  [ "$(grep -c '"kind":"train"' run/metrics.jsonl)" = 3 ]
  [ "$(grep -c slowest_rank run/metrics.jsonl)" = 0 ]
}

@test "of ranks that wait for each other within their passes none is named" {
  convnet config.yaml 2
  sed -i 's/{name: convnet}/{name: resnet18, in_channels: 1, num_classes: 10}\n  sync_batch_norm: true/; s/batch_size: 4/batch_size: 2/' config.yaml
  run run_ranks 2 run "$DDPTRAIN" --config config.yaml
  cat run/*.err
  [ "$output" = "0 0" ]
  [ "$(grep -c '"kind":"train"' run/metrics.jsonl)" = 2 ]
  [ "$(grep -c slowest_rank run/metrics.jsonl)" = 0 ]
}
