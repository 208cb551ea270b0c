# eventually COMMAND...: until COMMAND succeeds; gives up after a minute. The pauses between two tries grow: a look costs some CPU, of which
# other tests want their share.
eventually() {
  local deadline=$((SECONDS + 60)) hundredths=2 pause
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    printf -v pause '0.%02d' "$hundredths"
    sleep "$pause"
    ((hundredths = hundredths < 27 ? hundredths * 3 / 2 : 40))
  done
}
