#compdef ddpsubmit
# Completion of ddpsubmit in zsh: the program itself says what a word can become.

_ddpsubmit() {
  local program=${${(Q)words[1]}/#\~\//$HOME/} word doc
  local -a ended open
  (( $+commands[$program] )) || [[ -x $program ]] || program=ddpsubmit
  while IFS=$'\t' read -r word doc; do
    # No blank follows a word that goes on.
    if [[ $word == *[=./,] ]]; then
      open+=("${word//:/\\:}${doc:+:$doc}")
    else
      ended+=("${word//:/\\:}${doc:+:$doc}")
    fi
  done < <(command "$program" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
  local found=1
  (( $#ended == 0 )) || { _describe -V word ended && found=0 }
  (( $#open == 0 )) || { _describe -V word open -S '' && found=0 }
  return found
}

if [[ $funcstack[1] == _ddpsubmit ]]; then
  _ddpsubmit "$@"
else
  compdef _ddpsubmit ddpsubmit
fi
