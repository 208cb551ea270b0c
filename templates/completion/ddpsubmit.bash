# Completion of ddpsubmit in bash: the program itself says what a word can become.

# Sets `words` to those before the cursor; the last one ends there. Readline parts words at '=' and ':', too.
__ddpsubmit_words() {
  local LC_ALL=C # COMP_POINT counts bytes
  local rest=${COMP_LINE:0:COMP_POINT} index blanks word
  words=()
  for ((index = 0; index <= COMP_CWORD; index++)); do
    blanks=${rest%%[![:space:]]*}
    rest=${rest:${#blanks}}
    word=${COMP_WORDS[index]}
    if ((index == COMP_CWORD)); then word=$rest; fi
    rest=${rest:${#word}}
    last_part=$word
    word=${word//[\"\'\\]/}
    if ((index > 0)) && [[ -z $blanks ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
  done
}

# Quotes `candidate` as the quotes ask for that `last_part` begins with.
__ddpsubmit_quote() {
  case $last_part in
    \"*)
      candidate=${candidate//\\/\\\\}
      candidate=${candidate//\"/\\\"}
      candidate=${candidate//\$/\\\$}
      candidate=${candidate//\`/\\\`}
      ;;
    \'*) candidate=${candidate//\'/\'\\\'\'} ;;
    *)
      [[ $candidate == *[!A-Za-z0-9_./=,:@%+~-]* ]] || return 0
      # shellcheck disable=SC2088 # the shell expands it when the line is run
      if [[ $candidate == '~/'* ]]; then printf -v candidate '~/%q' "${candidate:2}"; else printf -v candidate %q "$candidate"; fi
      ;;
  esac
}

_ddpsubmit() {
  local words=() last_part='' program current settled candidate
  __ddpsubmit_words
  program=${words[0]/#\~\//$HOME/}
  type -P -- "$program" >/dev/null || program=ddpsubmit
  current=${words[${#words[@]} - 1]}
  [[ $last_part != [=:] ]] || last_part=
  settled=${current%"${last_part//[\"\'\\]/}"} # what readline leaves as it is
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    [[ $candidate == "$current"* ]] || continue
    candidate=${candidate:${#settled}}
    __ddpsubmit_quote
    COMPREPLY+=("$candidate")
  done < <(command "$program" __complete -- "${words[@]:1}" 2>/dev/null)
  if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *[=./,] ]]; then
    compopt -o nospace 2>/dev/null
    # Readline closes an open quote behind the only candidate, but not behind what two have in common. Where TAB
    # goes through the candidates (type 37, '%'), it would insert the second one.
    if [[ $last_part == [\"\']* && ${COMP_TYPE:-} != 37 ]]; then COMPREPLY+=("${COMPREPLY[0]}..."); fi
  fi
  return 0
}

complete -F _ddpsubmit ddpsubmit
