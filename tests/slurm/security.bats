# Values arrive as they were written and nothing in them is run; secrets reach the ranks and nothing else.

load ../support/eventually
load ../support/slurm_run

setup() { isolate_user; }

# shellcheck disable=SC2016 # is not to be expanded
printf -v block '%s\n' 'a"b'\''c' '$(touch PWN) `touch PWN`' '' '#SBATCH --hold' $'\t''${HOME} \ %j'
# shellcheck disable=SC2016 # is not to be expanded
odd='a"b'\''c $(touch PWN) `touch PWN` ${HOME} %j %% #x &;|<>*?~! \n 😀'

# write_config COMMAND [FILTER]: run.yaml, as JSON, which is YAML.
write_config() {
  jq -n --arg command "$1" --arg odd "$odd" --arg block "$block" \
    '{name: "odd", launcher: "slurm", run_root: "runs", command: ["sh", "-c", $command, "sh", $odd]} | '"${2:-.}" >run.yaml
}

@test "odd values reach the ranks byte for byte, and nothing in them is run" {
  # shellcheck disable=SC2016
  write_config 'printf %s "$1" >argument; printf %s "$ODD" >variable; printf %s "$LONG" >long' \
    '.environment = {set: {ODD: $odd, LONG: ("x" * 65536)}} | .run_root = ("runs " + ($odd | gsub("[\\\\]"; "") | gsub("[$]"; "$$")))'
  "$DDPSUBMIT" run run.yaml --follow
  [ "$(cat argument)" = "$odd" ]
  [ "$(cat variable)" = "$odd" ]
  [ "$(wc -c <long)" -eq 65536 ]
  [ -z "$(find . -name 'PWN*')" ]
  find . -name 'slurm-[0-9]*.out' | grep .
}

@test "words of a command with line breaks reach the ranks byte for byte, and are not in the script" {
  # shellcheck disable=SC2016
  write_config 'printf %s "$1" >argument' '.command[4] = $block | .environment.setup = "# two lines\nexport A=1\n"'
  "$DDPSUBMIT" run run.yaml --follow
  use_only_run
  cmp argument <(printf %s "$block")
  [ "$(grep -cE "PWN|--hold" "$run_folder/script.sbatch")" -eq 0 ]
  grep -Fx 'export A=1' "$run_folder/script.sbatch"
  "$DDPSUBMIT" describe last | grep -E '^command .*PWN.*#SBATCH --hold'
  [ -z "$(find . -name 'PWN*')" ]
  rm argument
  "$DDPSUBMIT" rerun last --follow
  cmp argument <(printf %s "$block")
}

@test "odd values of sbatch's options are taken as they are" {
  # shellcheck disable=SC2016 # for jq
  write_config true '.slurm = {mail_user: $odd, mail_type: "END", options: {hold: ""}}'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  scontrol show job "$(job_id)" | grep -F "MailUser=$odd"
  "$DDPSUBMIT" cancel last
  [ -z "$(find . -name 'PWN*')" ]
}
use_only_run() { run_folder=$(echo "$PWD"/runs/*); }

@test "line breaks and control characters are refused at their place, as are values that no program can be given" {
  for value in 'a\nb' 'a\u0000b' 'a\tb\u001b'; do
    printf '%s\n' 'command: ["true"]' 'launcher: slurm' "slurm: {partition: \"$value\"}" >run.yaml
    run "$DDPSUBMIT" run run.yaml
    [ "$status" -eq 3 ]
    [[ $output == *'run.yaml:3:'* ]]
  done
  write_config true
  run "$DDPSUBMIT" run run.yaml 'run_root=a\b' # Slurm would make no log there, and the job would fail
  [ "$status" -eq 3 ]
  [[ $output == *'run_root is '*'command line'* ]]
  write_config true '.environment = {set: {LONG: ("x" * 131072)}}'
  run "$DDPSUBMIT" run run.yaml
  [ "$status" -eq 3 ]
  [[ $output == *'131077 bytes are too long for an argument or a variable of a program'*'run.yaml:'* ]]
  [ ! -e runs ] && [ ! -e 'a\b' ]
}

# What a run with the secret has left anywhere but in its own file. The pattern comes from a file, so that grep does not find itself.
leaks() {
  printf '%s' "$API_KEY" >pattern
  env -u API_KEY grep -rlsF -f pattern runs state --exclude=secrets.json
  env -u API_KEY grep -rlsF -f pattern /run/rig/ctld /run/rig/log /run/rig/spool.*
  env -u API_KEY grep -lsF -f pattern /proc/[0-9]*/cmdline
  "$DDPSUBMIT" render run.yaml | grep -F -f pattern
  "$DDPSUBMIT" render run.yaml --explain | grep -F -f pattern
  "$DDPSUBMIT" describe last --json | grep -F -f pattern
  "$DDPSUBMIT" list --json | grep -F -f pattern
  scontrol show job "$(job_id)" | grep -F -f pattern
  scontrol write batch_script "$(job_id)" - | grep -F -f pattern
  squeue -h -t all -o '%all' | grep -F -f pattern
  return 0
}

with_secret() {
  export API_KEY="s3cret-$RANDOM$RANDOM"
  write_config "$1" '.environment = {secrets: ["API_KEY"]} | .resources = {nodes: 2} | .fault_tolerance = {grace_period: "2s"}'
}
secret_is_gone() { [[ ! -e $run_folder/secrets.json ]]; }

@test "a secret reaches the ranks, is nowhere else while they run, and is gone when they have succeeded" {
  # shellcheck disable=SC2016
  with_secret 'printf %s "$API_KEY" | sha256sum >seen.$RANK; until [ -e go_on ]; do sleep 0.1; done'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  eventually test -s seen.0
  eventually test -s seen.1
  [ "$(cat seen.0)" = "$(printf %s "$API_KEY" | sha256sum)" ]
  [ "$(cat seen.1)" = "$(cat seen.0)" ]
  [ "$(stat -c %a "$run_folder/secrets.json") $(stat -c %a "$run_folder")" = '600 700' ]
  [ -z "$(leaks)" ]
  : >go_on
  "$DDPSUBMIT" wait last
  secret_is_gone
  [ -z "$(leaks)" ]
}

@test "the file is gone when the run has failed, and when it was cancelled in the queue" {
  with_secret 'exit 3'
  run "$DDPSUBMIT" run run.yaml --follow
  [ "$status" -eq 1 ]
  use_only_run
  secret_is_gone
  rm -r runs
  "$DDPSUBMIT" run run.yaml 'slurm.options={hold: ""}'
  use_only_run
  [ -e "$run_folder/secrets.json" ]
  "$DDPSUBMIT" cancel last
  secret_is_gone
}

@test "the file is gone once a verb has seen the end of a run whose head was killed" {
  with_secret 'sleep 1000'
  "$DDPSUBMIT" run run.yaml
  use_only_run
  started() { [[ $(event rank_started .rank | wc -l) -eq 2 ]]; }
  eventually started
  kill -9 "$(event head_started .pid)"
  over() { [[ $(state_of_run) == failed ]]; }
  eventually over
  secret_is_gone
}
