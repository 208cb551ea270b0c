#compdef ddpsubmit
# Completion of ddpsubmit in zsh: the program itself says what a word can become.

_ddpsubmit() {
  local program=${${(Q)words[1]}/#\~\//$HOME/} word doc
  local typed=${(Q)PREFIX} home=
  local -a ended open
  # A tilde that stands for the home folder stays as it is: zsh would quote it with the rest of the word.
  if [[ $PREFIX == \~/* ]]; then
    home='~/'
    compset -P '\~/'
  fi
  (( $+commands[$program] )) || [[ -x $program ]] || program=ddpsubmit
  while IFS=$'\t' read -r word doc; do
    word=${word#"$home"}
    # No blank follows a word that goes on.
    if [[ $word == *[=./,] ]]; then
      open+=("${word//:/\\:}${doc:+:$doc}")
    else
      ended+=("${word//:/\\:}${doc:+:$doc}")
    fi
  done < <(command "$program" __complete -- "${(@Q)words[2,CURRENT-1]}" "$typed" 2>/dev/null)
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
