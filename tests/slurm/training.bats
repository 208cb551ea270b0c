# The file that trains on this machine trains on two nodes of Slurm.

load ../support/eventually
load ../support/slurm_run
load ../support/terminal
load ../support/second_try

setup() { isolate_user; }

@test "two nodes with two ranks each train to the bytes of four local ranks; logs, list, status and describe tell so" {
  submit train.epochs=1
  "$DDPSUBMIT" logs last --follow >followed
  grep -E '^\[r0\] step ' followed
  grep -E '^\[r0\] epoch 1 .*test accuracy' followed
  [ "$(event run_ended .state)" = succeeded ]
  "$DDPSUBMIT" wait last
  [ "$(exit_records '"\(.rank) \(.host) \(.code)"' | tr '\n' ',')" = '0 node1 0,1 node1 0,2 node2 0,3 node2 0,' ]
  "$DDPSUBMIT" list | grep "$(job_id)" | grep succeeded
  "$DDPSUBMIT" status last | grep succeeded
  "$DDPSUBMIT" describe "$(job_id)" | grep node2
  "$DDPSUBMIT" logs last --rank 0 | grep -E '^epoch 1 .*test accuracy 0\.[78]'
  has_bytes_of_undisturbed "$run_folder" resources.tasks_per_node=4 train.epochs=1
}

@test "logs --follow on a terminal tells how far the job is" {
  submit "${endless[@]}"
  on_terminal 120 "$DDPSUBMIT logs last --follow" >screen 3>&- &
  eventually has_progress screen '  epoch [0-9]+  loss [0-9.]+  [0-9,]+ samples/s$'
  "$DDPSUBMIT" cancel last
  wait $!
  was_cleared screen
}

@test "cancel stops the ranks and the job, and says so" {
  submit "${endless[@]}"
  eventually trains
  run "$DDPSUBMIT" cancel last
  [ "$status" -eq 0 ]
  eventually job_is_over
  eventually no_process_of_run
  [ "$(state_of_run)" = cancelled ]
  run "$DDPSUBMIT" wait last
  [ "$status" -eq 1 ]
}

@test "by hand: srun ddptrain needs an address and a port, says so, and trains with them" {
  cat >train.yaml <<'EOF'
train: {max_steps: 20, model: {name: mlp}, data: {name: fashion_mnist}, optimizer: {name: sgd, learning_rate: 0.1}}
EOF
  run srun -N2 --ntasks-per-node=2 "$DDPTRAIN" --config train.yaml
  [ "$status" -ne 0 ]
  [[ $output == *MASTER_ADDR* ]]
  MASTER_ADDR=node1 MASTER_PORT=29500 srun -N2 --ntasks-per-node=2 "$DDPTRAIN" --config train.yaml | grep '^step 20/20 '
}
