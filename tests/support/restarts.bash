# Runs whose ranks are killed and start again in the same job. The training is long enough to be hit twice.

# shellcheck source=tests/support/run_records.bash
source "${BASH_SOURCE[0]%/*}/run_records.bash"
# shellcheck source=tests/support/eventually.bash
source "${BASH_SOURCE[0]%/*}/eventually.bash"
# shellcheck source=tests/support/undisturbed.bash
source "${BASH_SOURCE[0]%/*}/undisturbed.bash"

training=(train.epochs=null train.max_steps=700 train.data.batch_size=16 train.checkpoint.every_steps=40 train.checkpoint.keep=100 train.log.every_steps=1)

# train_here [ARGUMENT...]: four ranks on this machine.
train_here() {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" resources.tasks_per_node=4 "${training[@]}" "$@"
}

# has_undisturbed_bytes FOLDER: those of the same training, when nothing disturbs it.
has_undisturbed_bytes() { has_bytes_of_undisturbed "$1" resources.tasks_per_node=4 "${training[@]}"; }

# first_step ATTEMPT: when its first step was done, in milliseconds since 1970.
first_step() {
  local time
  time=$(jq -r "select(.attempt == $1 and .kind == \"first_step\") | .time" "$run_folder/metrics.jsonl" | head -n 1)
  [[ -n $time ]] && date -d "$time" +%s%3N
}

# recovery FILTER: what the jq FILTER makes of the report of the run.
recovery() { "$DDPSUBMIT" describe "${run_folder##*/}" --json | jq -r ".recovery | $1"; }

# kill_and_time ATTEMPT PID: kills it once the attempt has a checkpoint of its own, waits for a step of the next attempt, and
# prints how long that took.
kill_and_time() {
  local killed
  eventually has_checkpoint "$1"
  killed=$(date +%s%3N)
  kill -9 "$2"
  eventually first_step $(($1 + 1)) >/dev/null
  echo "# attempt $(($1 + 1)): first step $(($(first_step $(($1 + 1))) - killed)) ms after kill -9," \
    "$(event restarting "select(.attempt == $1) | .lost_steps") steps lost" >&3
}

