# The events of a ledger are types in jobenv/record/events: no other source names one in a text.

setup() { cd "$SOURCE_DIR" || return; }

# shellcheck disable=SC2016 # backquotes of the page
# events: as docs/ledger.md has them, which a test compares with the types.
events() { sed -n 's/^| `\([a-z_]*\)` .*/\1/p' docs/ledger.md | sort -u; }

# mentions PATTERN: where it stands in the sources, but for those of the ledger itself.
mentions() { grep -rnE "$1" cli jobenv trainer --include=*.cpp --include=*.hpp | grep -v '^jobenv/record/events/' || true; }

@test "the page has the events" {
  [ "$(events | wc -l)" -eq 29 ]
}

@test "no event is named in a text" {
  local event found=
  for event in $(events); do
    case $event in
      submitted | cancel_requested) ;; # fields of a run in JSON, too
      restarting | requeued | waiting) ;; # words for a state and for a reason, too
      hang_suspected) ;;                  # a value of notify.events, too
      head_started) found+=$(mentions "\"$event\"" | grep -v '^jobenv/remote/' || true) ;; # an answer of ddp-agent remote has that name
      *) found+=$(mentions "\"$event(\\\\)?\"") ;;
    esac
  done
  echo "$found"
  [ -z "$found" ]
}

@test "none is written or looked for by a text" {
  local found event
  for event in $(events); do
    found+=$(mentions "(append|write|record)\\(\"$event\"|event == \"$event\"")
  done
  echo "$found"
  [ -z "$found" ]
}
