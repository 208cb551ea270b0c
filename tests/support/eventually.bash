# eventually COMMAND...: until COMMAND succeeds; gives up after a minute.
eventually() {
  local deadline=$((SECONDS + 60))
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}
