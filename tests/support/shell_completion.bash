# What shells propose for a command line, with the script of `ddpsubmit completion`.

has_shell() { command -v "$1" >/dev/null; }

# completions_in SHELL LINE: those for the last word of LINE, a line each, sorted.
completions_in() { "completions_in_$1" "$2" | LC_ALL=C sort -u; }

# The words as readline parts them: a TAB in a real terminal gives these variables.
completions_in_bash() {
  bash --norc --noprofile -c '
    source <(ddpsubmit completion bash)
    COMP_LINE=$1 COMP_POINT=${#1}
    COMP_WORDS=() rest=$1
    while [[ $rest =~ ^\ *([=:]+|[^\ =:]+) ]]; do COMP_WORDS+=("${BASH_REMATCH[1]}") rest=${rest#"${BASH_REMATCH[0]}"}; done
    [[ -z $rest ]] || COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _ddpsubmit
    word=${1##* }
    [[ $word != *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/${word%=*}=}")
    printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}

# shellcheck disable=SC2016 # fish expands it
completions_in_fish() {
  fish --no-config -c 'ddpsubmit completion fish | source; complete -C $argv[1]' "$1" | cut -f 1
}

# What the script hands to _describe.
completions_in_zsh() {
  zsh -f -c '
    compdef() { :; }
    _describe() {
      local word
      while [[ $1 == -* ]]; do shift; done
      for word in "${(@P)2}"; do print -r -- "${word%%:*}"; done
    }
    source <(ddpsubmit completion zsh)
    words=("${(@s: :)1}") CURRENT=$#words PREFIX=${1##* }
    _ddpsubmit' zsh "$1"
}

# type_in SHELL KEYS: types KEYS (of printf) and Enter into an interactive shell, in which ddpsubmit then says what it is
# called with; prints what the terminal shows.
type_in() { python3 "${BASH_SOURCE[0]%/*}/type_in_shell.py" "$1" "$(printf '%b' "$2")"; }
