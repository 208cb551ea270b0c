# The launchers. A row is a name; two folders hold everything about it: cli/launchers/NAME, which defines
# NAME_launcher, and jobenv/agent/launchers/NAME, which defines NAME_agent_launcher. The first row is the default.
set(ddp_launchers local slurm ssh)

# ddp_launcher_table(TARGET TEMPLATE TYPE SUFFIX NAME...): an object library with the table of a program: the rows are
# `const TYPE NAMESUFFIX`, one for each NAME.
function(ddp_launcher_table target template type suffix)
  set(DDP_LAUNCHER_DECLARATIONS "")
  set(DDP_LAUNCHER_ROWS "")
  foreach(name IN LISTS ARGN)
    string(APPEND DDP_LAUNCHER_DECLARATIONS "extern const ${type} ${name}${suffix};\n")
    string(APPEND DDP_LAUNCHER_ROWS "&${name}${suffix}, ")
  endforeach()
  list(LENGTH ARGN DDP_LAUNCHER_COUNT)
  configure_file(${template} ${target}.cpp @ONLY)
  add_library(${target} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
endfunction()
