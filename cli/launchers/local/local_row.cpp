#include "cli/launchers/local/local_launcher.hpp"
#include "cli/launchers/local/processes_of_run.hpp"

namespace ddp::cli {
namespace {

/// The records named the processes; how they were started still does.
std::string explain_processes(const RunStatus&, const RunPointer& pointer) {
  return "find what is left of it, and end it by its process id: " + find_processes_of(pointer.run_dir);
}

constexpr std::string_view kFirstLinesHere = R"(resources:
  tasks_per_node: 2       # number of ranks; on a machine with GPUs, one for each GPU
  # gpus_per_node: 2      # number of GPUs to use
)";

}  // namespace

const LauncherRow local_launcher{.name = "local",
                                 .traits = {},
                                 .default_attachment = Attachment::attached,
                                 .ranks_run = RanksRun::here,
                                 .first_lines = kFirstLinesHere,
                                 .make = make_local_launcher,
                                 .by_hand = {.end_run = explain_processes}};

}  // namespace ddp::cli
