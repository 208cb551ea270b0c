# Lanes and weights of the tests. A lane is a label:
#   fast     no rig and no training of several ranks: scripts/test --fast
#   local    real processes on this machine
#   rigs     a real Slurm, or hosts with a real sshd each
#   source   the source on a newer release of Debian: scripts/test --source
#   nightly  waits of their real length, many rounds of what is random, and attacks: scripts/test --nightly
#   peers    the comparison with Python, and reports in a browser: scripts/test --peers
#   gpu      what needs an NVIDIA GPU: scripts/test --gpu
# scripts/test runs as many tests side by side as weigh three for each CPU: what computes all the time weighs 3, a training with its
# pauses 2, a rig, which waits most of its time, 1. Those with the highest cost, which is about the seconds that they take, start first.
find_program(BATS bats REQUIRED)
find_program(JQ jq)

set(ddp_test_state ${PROJECT_BINARY_DIR}/tests/state)  # what the cases of one run of the tests share

set(ddp_other_slurms 20.11 24.11 26.05)  # than that of the machine, which is Debian 12's; each comes from a chroot, in the nightly lane

macro(ddp_default variable value)
  if(NOT DEFINED ${variable})
    set(${variable} ${value})
  endif()
endmacro()

# ddp_part_name(VARIABLE NAME PART PARTS): NAME, or NAME.2of3.
function(ddp_part_name variable name part parts)
  if(parts GREATER 1)
    string(APPEND name .${part}of${parts})
  endif()
  set(${variable} ${name} PARENT_SCOPE)
endfunction()

# ddp_bats(NAME FILE LANE [NIGHTLY] [PARTS n] [WEIGHT n] [COST n] [PLACE COMMAND...] [ENVIRONMENT NAME=VALUE...]): a test of a bats file, in
# n parts that run side by side. PLACE is a command that runs another one where the file is at home. NIGHTLY: it is in that lane, too, as
# a whole, with waits of their real length and many rounds.
function(ddp_bats name file lane)
  cmake_parse_arguments(PARSE_ARGV 3 arg "NIGHTLY" "PARTS;WEIGHT;COST" "PLACE;ENVIRONMENT")
  ddp_default(arg_PARTS 1)
  ddp_default(arg_WEIGHT 2)
  ddp_default(arg_COST 10)
  foreach(part RANGE 1 ${arg_PARTS})
    ddp_part_name(test ${name} ${part} ${arg_PARTS})
    ddp_add_bats_part(${test} ${lane} ${part} ${arg_PARTS})
  endforeach()
  if(arg_NIGHTLY)
    list(APPEND arg_ENVIRONMENT FULL_LENGTH=1 ROUNDS=40)
    ddp_add_bats_part(nightly.${name} nightly 1 1)
  endif()
endfunction()

# Of the file and the arguments of ddp_bats.
macro(ddp_add_bats_part test lane part parts)
  add_test(NAME ${test} COMMAND ${arg_PLACE} ${PROJECT_SOURCE_DIR}/tests/bats_part ${file} ${part} ${parts})
  set_tests_properties(${test} PROPERTIES
    LABELS ${lane} PROCESSORS ${arg_WEIGHT} COST ${arg_COST} SKIP_RETURN_CODE 77
    ENVIRONMENT "SOURCE_DIR=${PROJECT_SOURCE_DIR};DDP_TEST_STATE=${ddp_test_state};${ddp_programs};${arg_ENVIRONMENT}")
endmacro()

# ddp_unit_test(PROGRAM [SHARDS n] [WEIGHT n] [COST n]): a GoogleTest program, in n processes.
function(ddp_unit_test program)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SHARDS;WEIGHT;COST" "")
  ddp_default(arg_SHARDS 1)
  ddp_default(arg_WEIGHT 2)
  ddp_default(arg_COST 5)
  foreach(shard RANGE 1 ${arg_SHARDS})
    ddp_part_name(test ${program} ${shard} ${arg_SHARDS})
    add_test(NAME ${test} COMMAND ${PROJECT_SOURCE_DIR}/tests/unit/unit_shard $<TARGET_FILE:${program}> ${shard} ${arg_SHARDS})
    set_tests_properties(${test} PROPERTIES LABELS fast PROCESSORS ${arg_WEIGHT} COST ${arg_COST})
  endforeach()
endfunction()

set(ddp_programs "")
foreach(program IN ITEMS ddpsubmit ddp-agent ddptrain)  # DDPSUBMIT, DDP_AGENT, DDPTRAIN
  if(TARGET ${program})
    string(TOUPPER ${program} variable)
    string(REPLACE - _ variable ${variable})
    list(APPEND ddp_programs "${variable}=$<TARGET_FILE:${program}>")
  endif()
endforeach()
