# A rehearsal stops and kills a small run of the job, and says whether that has changed its result.

load ../support/local_run

setup() {
  isolate_user
  [ -x "${DDPSUBMIT%/*}/ddptrain" ] || skip 'ddptrain is not built'
}

# rehearse [ARGUMENT...]: the answer as JSON in `answer`, the talk in `said`, the exit code in status.
rehearse() {
  "$DDPSUBMIT" rehearse "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" "run_root=$PWD/runs" --json "$@" >answer 2>said && status=0 || status=$?
}

answer() { jq -r "$1" answer; }

# run_of KIND: the folder of a run that was kept.
run_of() { find "$PWD/runs" -maxdepth 1 -name "*-$1-*"; }

# A trainer that takes larger steps once it goes on: its result depends on how often it was started.
write_forgetful_trainer() {
  cat >trainer <<EOF
#!/bin/bash
args=()
for word in "\$@"; do
  if [[ \${DDPSUBMIT_ATTEMPT:-0} -gt 0 && -f \$word ]]; then
    sed 's/learning_rate: .*/learning_rate: 0.01/' "\$word" >"\$word.\$DDPSUBMIT_ATTEMPT.\$DDPSUBMIT_RANK"
    word=\$word.\$DDPSUBMIT_ATTEMPT.\$DDPSUBMIT_RANK
  fi
  args+=("\$word")
done
exec "${DDPSUBMIT%/*}/ddptrain" "\${args[@]}"
EOF
  chmod +x trainer
}

@test "a run that is stopped and killed ends with the bytes of an undisturbed one" {
  rehearse --seed 7 --keep
  [ "$status" -eq 0 ]
  [ "$(answer '"\(.schema) \(.seed) \(.ranks) \(.result.equal)"')" = 'ddpsubmit.rehearse.v1 7 2 true' ]
  [ "$(answer '.result.files | join(" ")')" = 'model.safetensors optimizer.safetensors rng.safetensors' ]
  [ "$(answer '.stop.lost_steps')" = 0 ]
  [ "$(answer '.stop.last_step >= .stop.seen_step and .kill.last_step > .stop.last_step')" = true ]
  [ "$(answer '.kill.lost_steps < .steps / 5 and .kill.restart_seconds > 0')" = true ]
  run_folder=$(run_of rehearsal)
  [ "$(event stop_requested .attempt)" = 0 ]
  [ "$(event restarting '"\(.attempt) \(.cause.rank) \(.cause.signal)"')" = "1 $(answer .kill.rank) 9" ]
  [ "$(event restarting .lost_steps)" = "$(answer .kill.lost_steps)" ]
  local undisturbed
  undisturbed=$(run_of undisturbed)
  cmp "$run_folder/checkpoints/$(<"$run_folder/checkpoints/LATEST")/model.safetensors" \
    "$undisturbed/checkpoints/$(<"$undisturbed/checkpoints/LATEST")/model.safetensors"
}

@test "what the configured interval would lose is told, and the one that the measured costs recommend" {
  rehearse --mtbf 6h train.checkpoint.every_epochs=null train.checkpoint.every_steps=100
  [ "$status" -eq 0 ]
  [ "$(answer '"\(.mtbf.seconds) \(.mtbf.source)"')" = '21600 --mtbf' ]
  [ "$(answer '"\(.configured.key) \(.configured.mean_lost_steps >= 50)"')" = 'train.checkpoint.every_steps: 100 true' ]
  [ "$(answer '(.recommended.young_seconds / ((2 * .costs.stall_seconds * 21600) | sqrt) - 1) | fabs < 1e-6')" = true ]
  [ "$(answer '.recommended.lost_fraction < .configured.lost_fraction')" = true ]
  # An epoch of 60000 samples is 469 steps of two ranks with 64 each.
  [ "$(answer .job_steps)" = 938 ]
}

@test "nothing is left of a rehearsal whose results are equal" {
  "$DDPSUBMIT" rehearse "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" "run_root=$PWD/runs" --ranks 1 >answer 2>said
  grep -E '^result +equal to an undisturbed run, byte for byte: ' answer
  grep -E '^recommended +train.checkpoint.every: [0-9]+s .* Young: .* Daly: ' answer
  grep -F '(assumed; set it with --mtbf)' answer
  [ ! -e runs ]
  [ "$("$DDPSUBMIT" list --json | jq '.runs | length')" = 0 ]
}

@test "a result that the disturbances change is told: exit 1, the first tensor, and the runs stay" {
  write_forgetful_trainer
  rehearse "train.program=$PWD/trainer"
  [ "$status" -eq 1 ]
  [ "$(answer .result.equal)" = false ]
  [ "$(answer '.result.differences[0].file')" = model.safetensors ]
  [[ $(answer '.result.differences[0].tensor') =~ (weight|bias)$ ]]
  [ "$(answer '.kept_runs | length')" = 2 ]
  "$DDPSUBMIT" describe "$(answer '.kept_runs[1]')" >/dev/null
}

@test "a training that begins anew each time cannot be rehearsed: exit 3, and nothing is started" {
  rehearse train.checkpoint.resume=never
  [ "$status" -eq 3 ]
  [ ! -e runs ]
}

@test "options that make no sense are refused together: exit 2" {
  run "$DDPSUBMIT" rehearse "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" --steps 3 --mtbf soon
  [ "$status" -eq 2 ]
  [[ $output == *"--steps: '3' is not a whole number from 10 to "*"--mtbf: 'soon' is not a valid duration"* ]]
}

@test "Ctrl-C ends a rehearsal, and leaves nothing" {
  "$DDPSUBMIT" rehearse "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" "run_root=$PWD/runs" >answer 2>said 3>&- &
  local pid=$!
  eventually grep -q 'without disturbance' said
  run_folder=$PWD/runs
  kill -INT "$pid"
  wait "$pid" && status=0 || status=$?
  [ "$status" -eq 130 ]
  eventually no_process_of_run
  [ ! -e runs ]
}
