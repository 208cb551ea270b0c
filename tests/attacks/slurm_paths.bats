# Odd names of folders and files on Slurm: a run works in them, or is refused with its reason; nothing in a name is run, and nothing is left
# in the queue.
# shellcheck disable=SC2016 # what is in single quotes is not to be expanded here

load ../support/attacks
load ../support/eventually
load ../support/slurm_run

setup() {
  isolate_user
  fast_links
}

teardown() { scancel --user=root; }

queue_is_empty() { [[ -z $(squeue -h -o %i) ]]; }

# write_run NAME: in/NAME, a folder in which NAME.yaml asks for a run on two nodes. Its run_root and its program's folder are called NAME,
# too, and so is the program's argument.
write_run() {
  mkdir -p -- "in/$1/$1"
  printf '%s\n' '#!/bin/sh' 'pwd >"folder.$RANK"; printf %s "$1" >"argument.$RANK"' >"in/$1/$1/program"
  chmod +x "in/$1/$1/program"
  # A dollar sign of a path is written twice.
  jq -n --arg odd "$1" '{name: "job", launcher: "slurm", run_root: ("./" + ($odd | gsub("[$]"; "$$"))), resources: {nodes: 2},
    command: ["./" + $odd + "/program", $odd]}' >"in/$1/$1.yaml"
}

# submit_in FOLDER ARGUMENT...: `run` in that folder.
submit_in() { (cd "./$1" && "$DDPSUBMIT" run "${@:2}"); }

# refused_in FOLDER REASON ARGUMENT...: exit 3 for that reason, a regular expression; Slurm was given nothing.
refused_in() {
  run submit_in "$1" "${@:3}"
  echo "exit code $status: $output"
  [ "$status" -eq 3 ]
  [[ $output =~ ^error:.*($2) ]]
  queue_is_empty
  [ -z "$(find . -name plan.json)" ]
}

names=('a b' ' a ' "it's" 'a"b' '$(touch hacked)' '`touch hacked`' '; touch hacked' '&& touch hacked #' '| touch hacked' '$HOME' '${IFS}'
  '-oProxyCommand=touch hacked' '--wrap=touch hacked' '-' '%j' '%%x' '%' '#SBATCH --hold' '*' '?' '[a-c]' '{a,b}' '~' '~root' '!!' 'a,b=c' 'a=b'
  '@' 'ünï 😀' '...' "$(printf 'x%.0s' {1..200})")

@test "a run works in folders of any name that is one line" {
  local name rank runs=()
  for name in "${names[@]}"; do
    write_run "$name"
    runs+=("$(submit_in "in/$name" "./$name.yaml" 2>>said)")
  done
  "$DDPSUBMIT" wait "${runs[@]}"
  for name in "${names[@]}"; do
    for rank in 0 1; do
      [ "$(cat "in/$name/folder.$rank")" = "$PWD/in/$name" ]
      [ "$(cat "in/$name/argument.$rank")" = "$name" ]
    done
    [ "$(find "in/$name/$name" -name plan.json | wc -l)" -eq 1 ]
  done
  nothing_was_run
  eventually queue_is_empty
}

@test "a folder whose name is no line of text is refused, as the current one and as run_root" {
  local name
  printf '%s\n' 'name: job' 'launcher: slurm' 'run_root: runs' 'command: ["true"]' >run.yaml
  for name in $'a\nb' $'a\ntouch hacked' $'a\rb' $'a\tb' $'a\e[2J' $'\x01' $'a\xff' $'a\xc3' $'\xe2\x80\xae' $'a\u2028b'; do
    mkdir "$name"
    cp run.yaml "$name"
    refused_in "$name" 'control character|not UTF-8' run.yaml
    refused_in . 'control character|not UTF-8' run.yaml "run_root=$PWD/$name"
    refused_in . 'control character|not UTF-8' "$name/run.yaml"
  done
  nothing_was_run
}

@test "a backslash is refused in run_root alone" {
  local elsewhere=$PWD/runs
  write_run 'a\b'
  refused_in 'in/a\b' "Slurm does not replace the job id" './a\b.yaml'
  submit_in 'in/a\b' './a\b.yaml' "run_root=$elsewhere" --follow
  [ "$(cat 'in/a\b/folder.1')" = "$PWD/in/a\\b" ]
  [ "$(cat 'in/a\b/argument.1')" = 'a\b' ]
  eventually queue_is_empty
}

# long_path BYTES: that many, in parts of a hundred.
long_path() { head -c "$1" /dev/zero | tr '\0' x | sed -E 's/x{100}/&\//g; s/\/$//'; }

# succeeds_or_is_too_long ARGUMENT...: `run` of run.yaml, in the current folder.
succeeds_or_is_too_long() {
  run "$DDPSUBMIT" run run.yaml --follow "$@"
  echo "exit code $status: ${output//xxxxxxxxxx/}"
  [[ $status == 0 && -e here ]] || [[ ! -e here && $output == *error:*'too long'* ]]
  rm -f here
  eventually queue_is_empty
}

@test "long paths: a run works in them, or is refused with what is too long" {
  local bytes top=$PWD
  printf '%s\n' 'name: job' 'launcher: slurm' 'command: [touch, here]' >run.yaml
  for bytes in 255 2000 3900 3980 4000 4050 5000; do succeeds_or_is_too_long "run_root=$PWD/$(long_path "$bytes")"; done
  succeeds_or_is_too_long "run_root=$PWD/$(long_path 300 | tr -d /)"
  for bytes in 2000 3900; do
    mkdir -p "$top/$(long_path "$bytes")"
    cd "$top/$(long_path "$bytes")"
    cp "$top/run.yaml" .
    succeeds_or_is_too_long
    succeeds_or_is_too_long "run_root=$top/runs"
    cd "$top"
  done
  nothing_was_run
}
