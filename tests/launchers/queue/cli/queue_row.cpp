#include "queue_launcher.hpp"

namespace ddp::cli {
namespace {

std::unique_ptr<LauncherOptions> make_queue_options() {
  return std::make_unique<QueueOptions>();
}

std::string cancel_in_queue(const std::string& job_id) {
  return "ddp-queue cancel " + job_id;
}

}  // namespace

const LauncherRow queue_launcher{.name = QueueOptions::kLauncher,
                                 .traits = {.scheduler = "TestQueue",
                                            .time_limit = TimeLimitBy::scheduler,
                                            .setup = SetupPlace::in_agents},
                                 .section_doc = "options of the queue launcher",
                                 .make_options = make_queue_options,
                                 .refuses_sweeps = "a sweep does not run in the TestQueue",
                                 .make = make_queue_launcher,
                                 .by_hand = {.end_job = cancel_in_queue}};

}  // namespace ddp::cli
