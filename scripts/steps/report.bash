# How far a script is: "[2/5] LibTorch 2.11.0: already here".

step_number=0
step_total=0

expect_steps() { step_total=$1; }

step() {
  step_number=$((step_number + 1))
  printf '[%d/%d] %s\n' "$step_number" "$step_total" "$*"
}

die() {
  printf 'error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf '%s\n' "$@" >&2
  exit 1
}
