# Waits of a run that are shorter than those of a user, so that a case does not spend its time on them. With FULL_LENGTH set, as in the
# nightly lane, they are as long as they are for a user.

# In milliseconds, by the names of jobenv/record/plan/waits.hpp.
declare -gA short_waits=([pulse]=500 [lease]=5000 [comeback]=20000 [drain]=7000 [absence]=3000 [host_look]=1000 [job_search]=8000 [live]=200 [idle]=6000 [notify]=3000)

# shorten NAME...: the runs that are started from here on have these waits, and no other, shortened.
shorten() {
  local name json=''
  [[ -z ${FULL_LENGTH:-} ]] || return 0
  for name in "$@"; do json+="${json:+, }\"$name\": ${short_waits[$name]}"; done
  export DDPSUBMIT_TEST_WAITS="{$json}"
}

# lease_seconds: of a case that shortens the lease.
lease_seconds() {
  if [[ -n ${FULL_LENGTH:-} ]]; then echo 30; else echo $((short_waits[lease] / 1000)); fi
}
