# Waits of a run that are shorter than those of a user, so that a case does not spend its time on them. With FULL_LENGTH set, as in the
# nightly lane, they are as long as they are for a user.

# In milliseconds, by the names of jobenv/record/waits.hpp.
# shellcheck disable=SC2034 # seconds_of reads them by a reference
declare -gA full_waits=([pulse]=5000 [lease]=30000 [comeback]=90000 [drain]=35000 [absence]=10000 [host_look]=15000 [job_search]=60000)
# shellcheck disable=SC2034
declare -gA short_waits=([pulse]=500 [lease]=5000 [comeback]=20000 [drain]=7000 [absence]=3000 [host_look]=1000 [job_search]=8000)

# shorten NAME...: the runs that are started from here on have these waits, and no other, shortened.
shorten() {
  local name json=''
  [[ -z ${FULL_LENGTH:-} ]] || return 0
  for name in "$@"; do json+="${json:+, }\"$name\": ${short_waits[$name]}"; done
  export DDPSUBMIT_TEST_WAITS="{$json}"
}

# seconds_of NAME: of a wait that the case shortens.
seconds_of() {
  local -n waits=short_waits
  [[ -z ${FULL_LENGTH:-} ]] || local -n waits=full_waits
  echo $((waits[$1] / 1000))
}
