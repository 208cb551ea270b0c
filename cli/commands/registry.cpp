#include "cli/commands/registry.hpp"

namespace ddp::cli {

Command init_command();
Command import_command();
Command schema_command();
Command run_command();
Command torchrun_command();
Command render_command();
Command validate_command();
Command presets_command();
Command list_command();
Command status_command();
Command top_command();
Command describe_command();
Command compare_command();
Command logs_command();
Command stack_command();
Command export_command();
Command fetch_command();
Command report_command();
Command cancel_command();
Command wait_command();
Command rerun_command();
Command prune_command();
Command rehearse_command();
Command checkpoint_command();
Command env_command();
Command doctor_command();
Command completion_command();
Command manual_command();
Command complete_command();

std::vector<Command> all_commands() {
  return {
      run_command(),    torchrun_command(),   render_command(),     validate_command(), init_command(),
      import_command(), schema_command(),     presets_command(),    list_command(),     status_command(),
      top_command(),    describe_command(),   compare_command(),    logs_command(),     stack_command(),
      export_command(), report_command(),     fetch_command(),      cancel_command(),   wait_command(),
      rerun_command(),  prune_command(),      checkpoint_command(), rehearse_command(), env_command(),
      doctor_command(), completion_command(), manual_command(),     complete_command(),
  };
}

}  // namespace ddp::cli
