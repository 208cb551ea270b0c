# What a run has written on hosts that share no folder comes here, goes with it to other hosts, and is deleted there with it.
# /scratch is each host's own.
# shellcheck disable=SC2016,SC2154 # what is in single quotes is for the shell of the ranks; ssh_run.bash sets the names

load ../support/ssh_run
load ../support/second_try

setup() { isolate_user; }
teardown() {
  local host
  fast_links
  for host in node{1..3}; do
    [[ -n $(processes_on "$host") ]] || boot_host "$host"
    reconnect "$host"
  done
  "$DDPSUBMIT" cancel last &>/dev/null || true
}

pushed=(ssh.stage=push ssh.push_folder=/scratch/ddp)
run_dir_on_hosts() { echo "/scratch/ddp/runs/$run_id"; }
newest_here() { local all=("$run_folder"/checkpoints/step-*); echo "${all[-1]}"; }
has_step() { [ "$(jq -r 'select(.kind == "train") | .step' "$run_folder/metrics.jsonl" 2>/dev/null | tail -n 1)" -ge "$1" ]; }
followed_to() { is_in_state running && has_step "$1"; }

@test "the newest checkpoint of a training comes here whole, once, and is shown as a file of this machine" {
  train 2 1 "${pushed[@]}" train.max_steps=45
  "$DDPSUBMIT" wait "$run_id"
  run "$DDPSUBMIT" checkpoint verify "$run_id"
  [[ $status -eq 9 && $output == *"are on the first host of the run; to copy the newest checkpoint here: ddpsubmit fetch $run_id"* ]]
  "$DDPSUBMIT" fetch "$run_id" --json >answer 2>said
  grep -qE '^fetching [0-9.]+ MiB from node1: [0-9]+ files$' said
  [ "$(jq -r .checkpoint answer)" = "$(newest_here)" ]
  [ "$(jq .bytes_copied answer)" -gt 100000 ]
  "$DDPSUBMIT" checkpoint verify "$(newest_here)"
  on_host node1 cat "$(run_dir_on_hosts)/checkpoints/$(basename "$(newest_here)")/model.safetensors" | cmp - "$(newest_here)/model.safetensors"
  [ "$("$DDPSUBMIT" describe "$run_id" --json | jq -r .checkpoint.folder)" = "$(newest_here)" ]
  [ "$("$DDPSUBMIT" fetch "$run_id" --json | jq .bytes_copied)" = 0 ]
}

@test "the output of all hosts comes here; rank 0 has its way; links, pipes and odd names stay, and are told" {
  command_run 2 'cd "$DDPSUBMIT_OUTPUT_DIR"; mkdir -p deep; echo "rank $RANK" >same; echo "$RANK" >"deep/only $RANK"; chmod 750 same
    ln -sf same link; mkfifo pipe; touch "$(printf "line\nbreak")" "$(printf "no\377utf")"; ln -s /etc folder' "${pushed[@]}"
  "$DDPSUBMIT" wait "$run_id"
  "$DDPSUBMIT" fetch "$run_id" --json >answer 2>said
  [ "$(cat "$run_folder/output/same")" = 'rank 0' ]
  [ "$(stat -c %a "$run_folder/output/same")" = 750 ]
  [ "$(cat "$run_folder/output/deep/only 0" "$run_folder/output/deep/only 1" | xargs)" = '0 1' ]
  [ "$(find "$run_folder/output" -mindepth 1 | wc -l)" = 4 ]
  grep -qF "not fetched: 'output/same' on node2 is there on node1, too" said
  grep -qF "not fetched: 'output/link' on node1 is a link, or no regular file" said
  grep -qF "not fetched: 'output/line\\nbreak' on node1 has a name that is not fetched" said
  [ "$(jq '.files' answer)" = 3 ]
  [ ! -e "$run_folder/.fetch" ]
}

@test "what a run still writes is fetched as it is, and again when it has changed" {
  command_run 1 'cd "$DDPSUBMIT_OUTPUT_DIR"; echo one >file; until [ -e /scratch/go ]; do sleep 0.05; done; echo two >new; mv new file
    touch /scratch/done; sleep 1000' "${pushed[@]}"
  eventually is_in_state running
  eventually on_host node1 test -s "$(run_dir_on_hosts)/output/file"
  "$DDPSUBMIT" fetch "$run_id"
  [ "$(cat "$run_folder/output/file")" = one ]
  on_host node1 touch /scratch/go
  eventually on_host node1 test -e /scratch/done
  "$DDPSUBMIT" fetch "$run_id"
  [ "$(cat "$run_folder/output/file")" = two ]
  "$DDPSUBMIT" cancel "$run_id"
  on_host node1 rm /scratch/go /scratch/done
}

part_is_there() { [[ $(find "$run_folder/.fetch" -type f -size +4M 2>/dev/null) ]]; }

@test "a copy that breaks off goes on where it stopped, and shows its rate and what is left" {
  command_run 1 'head -c 60000000 /dev/urandom >"$DDPSUBMIT_OUTPUT_DIR/large"' "${pushed[@]}"
  "$DDPSUBMIT" wait "$run_id"
  slow_links 30mbit
  "$DDPSUBMIT" fetch "$run_id" >/dev/null 2>said 3>&- &
  local fetching=$!
  eventually grep -qE '^node1: [0-9.]+ MiB of 57.2 MiB, [0-9.]+ [KM]iB/s, [0-9]+ s left$' said || {
    cat said
    false
  }
  eventually part_is_there
  kill -9 "$fetching"
  fast_links
  "$DDPSUBMIT" fetch "$run_id" --json >answer
  [ "$(jq .bytes_copied answer)" -lt 60000000 ]
  on_host node1 cat "$(run_dir_on_hosts)/output/large" | cmp - "$run_folder/output/large"
}

@test "a disk without room here is told before anything is copied" {
  mkdir small
  mount -t tmpfs -o size=1m tiny small
  command_run 1 'head -c 2000000 /dev/zero >"$DDPSUBMIT_OUTPUT_DIR/large"' "${pushed[@]}" run_root=small
  "$DDPSUBMIT" wait "$run_id"
  run "$DDPSUBMIT" fetch "$run_id"
  [ "$status" -eq 1 ]
  [[ $output == *"small/$run_id' has too little room: 1.9 MiB are needed, "*' are free'* ]]
  [ -z "$(find small/ -name large)" ]
  umount small
}

@test "a rerun on other hosts goes on from the checkpoint that was fetched, to the same bytes" {
  train 2 2 "${pushed[@]}"
  slow_links 200mbit
  eventually followed_to 40
  "$DDPSUBMIT" cancel "$run_id"
  fast_links
  "$DDPSUBMIT" fetch "$run_id"
  kill_host node1
  run "$DDPSUBMIT" rerun "$run_id" ssh.port=22
  [[ $status -eq 2 && $output == *"'ssh.port' cannot change in a rerun"*ssh.hosts* ]]
  "$DDPSUBMIT" rerun "$run_id" 'ssh.hosts=[node3, node2]' --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$(outcomes)" = 'cancelled succeeded' ]
  [ "$(jq -r 'select(.kind == "train") | .step' "$run_folder/metrics.jsonl" | sort -n | uniq -d | wc -l)" -le 20 ]
  "$DDPSUBMIT" fetch "$run_id"
  cmp "$(newest_here)/model.safetensors" "$(train_locally 4)"
}

@test "the output goes with a rerun to other hosts" {
  command_run 1 'cd "$DDPSUBMIT_OUTPUT_DIR"; cat saved 2>/dev/null || { echo 7 >saved; exit 3; }' "${pushed[@]}"
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  "$DDPSUBMIT" rerun "$run_id" 'ssh.hosts=[node3]' --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$("$DDPSUBMIT" logs "$run_id" --stdout)" = 7 ]
}

last_fetched() { sed -nE 's/^fetched checkpoint (step-[0-9a-]+) from node1: .*/\1/p' said | tail -n 1; }
two_were_fetched() { [ "$(grep -c '^fetched checkpoint step-[0-9a-]* from node1: ' said)" -ge 2 ]; }

@test "with ssh.fetch_checkpoints each new checkpoint is here while the run is followed: the first host may die" {
  shorten pulse lease drain
  slow_links 200mbit
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=ssh 'ssh.hosts=[node1,node2]' resources.nodes=2 \
    resources.tasks_per_node=1 "run_root=$PWD/followed" "${training[@]}" train.max_steps=100000 train.checkpoint.every_steps=20 \
    train.log.every_steps=1 "${pushed[@]}" ssh.fetch_checkpoints=true ssh.connect_timeout=5s &>said 3>&- &
  local following=$!
  eventually two_were_fetched
  kill_host node1
  kill -9 "$following"
  run_folder=$(echo "$PWD"/followed/*)
  run_id=${run_folder##*/}
  "$DDPSUBMIT" checkpoint verify "$run_folder/checkpoints/$(last_fetched)"
  fast_links
  local step
  step=$(last_fetched)
  "$DDPSUBMIT" rerun "$run_id" 'ssh.hosts=[node3, node2]' "train.max_steps=$((10#${step:5:8} + 4000))" --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event attempt_started 'select(.attempt == 1) | .hosts | join(" ")')" = 'node3 node2' ]
  [ "$(event head_started 'select(.attempt == 1) | .resumes_from')" -ge "$((10#${step:5:8}))" ]
}

@test "with ssh.fetch_checkpoints the last checkpoint, or the output of a command, is here when a followed run has ended" {
  "$DDPSUBMIT" run "$SOURCE_DIR/configs/fashion_mnist_mlp.yaml" launcher=ssh 'ssh.hosts=[node1]' resources.tasks_per_node=1 \
    "run_root=$PWD/runs" "${training[@]}" train.max_steps=30 "${pushed[@]}" ssh.fetch_checkpoints=true
  run_folder=$(echo "$PWD"/runs/*)
  "$DDPSUBMIT" checkpoint verify "$run_folder"
  command_run 1 'sleep 1; echo 7 >"$DDPSUBMIT_OUTPUT_DIR/saved"' "${pushed[@]}" ssh.fetch_checkpoints=true
  "$DDPSUBMIT" wait "$run_id"
  [ "$(cat "$run_folder/output/saved")" = 7 ]
}

@test "prune removes the folders of the hosts, too; a host that does not answer is listed, and is no error" {
  train 2 1 "${pushed[@]}" "train.program=$STAND_IN" train.max_steps=3
  "$DDPSUBMIT" wait "$run_id"
  on_host node2 test -d "$(run_dir_on_hosts)"
  "$DDPSUBMIT" prune "$run_id" 2>said
  grep -qF "its folder on node1, node2 would be deleted, too: $(run_dir_on_hosts)" said
  cut_off node2
  "$DDPSUBMIT" prune "$run_id" --yes --json >answer 2>said
  reconnect node2
  [ ! -e "$run_folder" ]
  on_host node1 test ! -e "$(run_dir_on_hosts)"
  [ "$(jq -c '.items[0] | [.hosts, (.left_on_hosts | length)]' answer)" = '[["node1"],1]' ]
  grep -qE "a folder stays on a host: node2: no ssh connection: .*; to delete it there: rm -r $(run_dir_on_hosts)" said
}

@test "a rerun on other hosts fetches what the first host has; one that would begin at an older step is refused" {
  train 2 1 "${pushed[@]}" train.max_steps=25 ssh.connect_timeout=5s
  "$DDPSUBMIT" wait "$run_id"
  cut_off node1
  run "$DDPSUBMIT" rerun "$run_id" 'ssh.hosts=[node3, node2]' train.max_steps=50 --detach
  reconnect node1
  [ "$status" -eq 10 ]
  [[ $output == *"the newest checkpoint of the run, step-00000025-a0, is neither on node3 nor here, but on node1"* ]]
  [[ $output == *"when that host answers, repeat the rerun; if it is gone for good, delete '$run_folder/checkpoints'"* ]]
  "$DDPSUBMIT" rerun "$run_id" 'ssh.hosts=[node3, node2]' train.max_steps=50 --detach
  "$DDPSUBMIT" wait "$run_id"
  [ "$(event attempt_started 'select(.attempt == 1) | .hosts[0]')" = node3 ]
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 0 --stdout | grep -c 'resumed from step 25')" = 1 ]
}

@test "a host that a rerun leaves out is reached as before: by its own address" {
  command_run 2 'cd "$DDPSUBMIT_OUTPUT_DIR"; cat saved 2>/dev/null || { echo 7 >saved; exit 3; }' "${pushed[@]}" --accept-new-host-keys \
    'ssh.hosts=[{host: first, address: 10.77.0.1}, node2]'
  run "$DDPSUBMIT" wait "$run_id"
  [ "$status" -eq 1 ]
  "$DDPSUBMIT" rerun "$run_id" 'ssh.hosts=[node3, node2]' --detach 2>said
  grep -q '^fetching 2 B from first: 1 file' said
  "$DDPSUBMIT" wait "$run_id" || true
  [ "$("$DDPSUBMIT" logs "$run_id" --rank 0 --stdout)" = 7 ]
  "$DDPSUBMIT" prune "$run_id" --yes --json >answer
  [ "$(jq -c '.items[0].hosts' answer)" = '["first","node2","node3"]' ]
}

@test "a file that is written just now is left out, and the others come; a host that is away is an error about it alone" {
  command_run 2 'cd "$DDPSUBMIT_OUTPUT_DIR"; echo "$RANK" >"done.$RANK"; while sleep 0.01; do echo line >>"log.$RANK"; done' "${pushed[@]}" \
    ssh.connect_timeout=5s
  eventually on_host node2 test -s "$(run_dir_on_hosts)/output/log.1"
  head_away() { "$DDPSUBMIT" fetch "$run_id" 2>said; [ -s "$run_folder/output/done.0" ] && grep -q "changed while it was copied" said; }
  eventually head_away
  cut_off node2
  run "$DDPSUBMIT" fetch "$run_id"
  reconnect node2
  echo "$status $output"
  [[ $status -eq 10 && $output == *'node2: no ssh connection'* ]]
  "$DDPSUBMIT" cancel "$run_id"
}

@test "a run that has its files here has nothing to fetch" {
  command_run 1 true
  "$DDPSUBMIT" wait "$run_id"
  run "$DDPSUBMIT" fetch "$run_id"
  [[ $status -eq 0 && $output == *"nothing to fetch: run $run_id has all its files in its run folder"* ]]
}
