# What would mean more to ssh or to a shell than a name or a value: refused before anything is connected, or passed as it was written.
# shellcheck disable=SC2016 # what is in single quotes is not to be expanded here

load ../support/attacks
load ../support/run_records
load ../support/ssh_hosts

setup() { isolate_user; }

# write_config FILTER [WORD [ARGUMENT...]]: run.yaml, as JSON, which is YAML; the jq FILTER changes it, and finds WORD in $odd.
write_config() {
  jq -n --args --arg odd "${2:-}" '{name: "job", launcher: "ssh", run_root: "runs", resources: {nodes: 2},
    ssh: {hosts: ["node1", "node2"], connect_timeout: "5s"}, command: ["true"]} | '"$1" -- "${@:3}" >run.yaml
}

connections() { cat /run/rig/node*/sshd.log | grep -c '^Connection from' || true; }

nothing_was_run_on_hosts() {
  local host
  nothing_was_run
  for host in node1 node2; do [[ -z $(on_host "$host" find /scratch -name 'hacked*') ]] || return; done
}

# refused FILE: `run` of run.yaml ends with exit 3, names a place in FILE, and has asked no host.
refused() {
  local before
  before=$(connections)
  run "$DDPSUBMIT" run run.yaml </dev/null
  cat run.yaml
  echo "exit code $status: $output"
  [ "$status" -eq 3 ]
  grep -qF -- "--> $1" <<<"$output"
  [ "$(connections)" -eq "$before" ]
  [ ! -e runs ]
}

# unknown USER: `run` of run.yaml ends with exit 4: no host knows a user of exactly this name.
unknown() {
  run "$DDPSUBMIT" run run.yaml </dev/null
  cat run.yaml
  echo "exit code $status: $output"
  [ "$status" -eq 4 ]
  grep -qF "error: node1: no key is accepted for user $1; tried" <<<"$output"
  local logged=${1%%/*} # sshd takes what is behind a slash for something else
  grep -qF "Invalid user ${logged//\\/\\\\} from" /run/rig/node1/sshd.log
  [ ! -e runs ]
}

# Words that would be options, commands, or more than one word.
injections=('-oProxyCommand=touch hacked' '-oProxyCommand=touch${IFS}hacked' '-ltouch' '; touch hacked' 'node1; touch hacked'
  'node1 touch hacked' 'node1|touch hacked' 'node1&touch hacked' '$(touch hacked)' '`touch hacked`' 'node1$(touch${IFS}hacked)'
  "node1'; touch hacked; '" 'node1"; touch hacked; "' '%h;touch hacked' 'node1%%hacked' '../node1' '/bin/touch' '[node1]'
  'node1,node2' 'node1*' '*' '~' '!node1' '!!' ' ' 'nöde1' 'a\nb' "a\\")
# None of these can be told from another value once it is in a file of one line.
broken=($'node1\ntouch hacked' $'node1\rtouch hacked' $'node1\ttouch' $'node1\e[2J')

# What a login name may be for OpenSSH, too: no shell reads more into it. It is a name that no host knows.
is_login_name() { [[ $1 != -* && $1 != *\\ && $1 =~ ^[!-~]+$ && $1 != *[\'\`\"\$\;\&\<\>\|\(\)\{\}]* ]]; }

@test "names of hosts, their addresses and users: refused, or passed as they were written" {
  local word
  for word in "${injections[@]}" "${broken[@]}"; do
    if [[ $word != '[node1]' ]]; then # which is node1
      write_config '.ssh.hosts[0] = $odd' "$word"
      refused run.yaml
      write_config '.ssh.hosts[1] = {host: $odd}' "$word"
      refused run.yaml
    fi
    write_config '.ssh.hosts[0] = {host: "node1", address: $odd}' "$word"
    refused run.yaml
    write_config '.ssh.user = $odd' "$word"
    if is_login_name "$word"; then unknown "$word"; else refused run.yaml; fi
  done
  nothing_was_run_on_hosts
}

@test "lines of a file of hosts: refused" {
  local word
  write_config '.ssh.hosts = null | .ssh.host_file = "hosts.txt"'
  for word in "${injections[@]}" "${broken[@]}"; do
    [[ $word != ' ' && $word != '[node1]' ]] || continue # an empty line, and node1
    printf '%s\n' node2 "$word" node1 >hosts.txt
    refused ''
  done
  nothing_was_run_on_hosts
}

@test "names of runs and of variables: refused" {
  local word
  for word in "${injections[@]}" "${broken[@]}"; do
    write_config '.name = $odd' "$word"
    refused run.yaml
    write_config '.environment.set[$odd] = "x"' "$word"
    refused run.yaml
    write_config '.environment.pass = [$odd]' "$word"
    refused run.yaml
    write_config '.environment.secrets = [$odd]' "$word"
    refused run.yaml
  done
  nothing_was_run_on_hosts
}

@test "line breaks and control characters in values: refused" {
  local word
  for word in "${broken[@]}"; do
    write_config '.environment.set.VALUE = $odd' "$word"
    refused run.yaml
    write_config '.name = $odd' "$word"
    refused run.yaml
    if [[ $word != *$'\n'* ]]; then # which separates two set-up lines
      write_config '.environment.setup = ["echo " + $odd]' "$word"
      refused run.yaml
    fi
    write_config '.ssh.push_folder = "/scratch/" + $odd | .ssh.stage = "push"' "$word"
    refused run.yaml
  done
  nothing_was_run_on_hosts
}

# What the ranks write of what they have been given.
writer='printf %s "$SECRET" >secret.$RANK; env -0 | grep -z ^ODD_ | sort -zV | tr "\0" "\n" | sed "s/^ODD_[0-9]*=//" >variables.$RANK;'
writer+=' printf "%s\n" "$@" >arguments.$RANK'

@test "values of variables, secrets and arguments: they arrive byte for byte, whatever the login shell is" {
  local user rank before
  before=$(connections)
  export SECRET='$(touch hacked)`touch hacked`;touch hacked'$'\n''touch hacked'
  printf '%s\n' "${injections[@]}" >expected
  for user in root cshuser fishuser noisyuser; do
    write_config '.ssh.user = $odd | .environment.secrets = ["SECRET"]
      | .command = ["sh", "-c", $ARGS.positional[0], "sh"] + $ARGS.positional[1:]
      | .environment.set = ($ARGS.positional[1:] | to_entries | map({key: "ODD_\(.key)", value: .value}) | from_entries)' \
      "$user" "$writer" "${injections[@]}"
    "$DDPSUBMIT" run run.yaml
    for rank in 0 1; do
      diff expected "arguments.$rank"
      diff expected "variables.$rank"
      [ "$(cat "secret.$rank")" = "$SECRET" ]
    done
    rm -r secret.* variables.* arguments.* runs
  done
  (($(connections) > before)) # so refused() would have seen one, too
  nothing_was_run_on_hosts
}

@test "words of a command with line breaks: they arrive byte for byte" {
  local rank text=$'it\'s "a"\n$(touch hacked) `touch hacked`\n\n  ; touch hacked\n'
  write_config '.command = ["sh", "-c", $ARGS.positional[0], "sh", $odd]' "$text" $'printf %s "$1" |\n  cat >"argument.$RANK"\n'
  "$DDPSUBMIT" run run.yaml
  for rank in 0 1; do cmp "argument.$rank" <(printf %s "$text"); done
  rm argument.*
  "$DDPSUBMIT" rerun last
  for rank in 0 1; do cmp "argument.$rank" <(printf %s "$text"); done
  nothing_was_run_on_hosts
}

# Names of files may hold anything but a slash.
names=('-oProxyCommand=touch hacked' '; touch hacked' '$(touch hacked)' '`touch hacked`' "it's" 'a"b' '*' '#x' '%h' '!!' 'a\b' 'ünï 😀')

@test "names of folders and files: a run works in them, with its key there" {
  local name rank
  for name in "${names[@]}"; do
    mkdir -p -- "in/$name/$name"
    cp /root/.ssh/id_ed25519 "in/$name/$name/key"
    printf '%s\n' '#!/bin/sh' 'pwd >"folder.$RANK"; printf %s "$1" >"argument.$RANK"' >"in/$name/$name/program"
    chmod +x "in/$name/$name/program"
    # A dollar sign of a path is written twice.
    write_config '($odd | gsub("[$]"; "$$")) as $path | .run_root = "./" + $path | .ssh.identity_file = "./" + $path + "/key"
      | .command = ["./" + $odd + "/program", $odd]' "$name"
    mv run.yaml "in/$name/$name.yaml"
    (cd "in/$name" && "$DDPSUBMIT" run "./$name.yaml")
    for rank in 0 1; do
      [ "$(cat "in/$name/folder.$rank")" = "$PWD/in/$name" ]
      [ "$(cat "in/$name/argument.$rank")" = "$name" ]
    done
    [ -n "$(find "in/$name/$name" -name plan.json)" ]
  done
  nothing_was_run_on_hosts
}

@test "a folder of the hosts that programs are copied to" {
  local name
  write_config '.ssh.stage = "push" | .ssh.push_folder = "/scratch/$(touch hacked)"'
  refused run.yaml
  for name in "${names[@]}"; do
    [[ $name != *\$* ]] || continue
    write_config '.ssh.stage = "push" | .ssh.push_folder = ("/scratch/" + $odd) | .command = ["sh", "-c", "pwd"]' "$name"
    "$DDPSUBMIT" run run.yaml >printed
    [ "$(grep -cF "] /scratch/$name/runs/" printed)" -eq 2 ]
  done
  nothing_was_run_on_hosts
}

@test "files that are copied to the hosts" {
  local name
  for name in "${names[@]}"; do
    mkdir -p -- "in/$name"
    printf %s "$name" >"in/$name/$name"
    printf %s "$name" >"./$name"
  done
  write_config '.ssh.stage = "push" | .ssh.push_folder = "/scratch/named" | .ssh.push = $ARGS.positional + ["in"]
    | .command = ["sh", "-c", "find . -type f"]' '' "${names[@]}"
  "$DDPSUBMIT" run run.yaml >printed
  for name in "${names[@]}"; do
    [ "$(grep -cF "] ./$name" printed)" -eq 2 ]
    [ "$(grep -cF "] ./in/$name/$name" printed)" -eq 2 ]
  done
  nothing_was_run_on_hosts
}

@test "a network interface: no host has it, and the run fails" {
  local word
  for word in '; touch hacked' '$(touch hacked)'; do
    write_config '.rendezvous = {interface: $odd, timeout: "2s"}' "$word"
    run "$DDPSUBMIT" run run.yaml </dev/null
    [ "$status" -eq 1 ]
    grep -F "this host has no interface '$word' that is up" runs/*/logs/node-?.log
    rm -r runs
  done
  nothing_was_run_on_hosts
}

@test "a run that is asked for: not found, or no argument" {
  local word verb
  for word in "${injections[@]}"; do
    for verb in status describe logs cancel wait rerun; do
      run "$DDPSUBMIT" "$verb" -- "$word"
      echo "$verb $word: exit code $status: $output"
      [[ $status == [25] && $output == error:* ]]
    done
  done
  nothing_was_run_on_hosts
}
