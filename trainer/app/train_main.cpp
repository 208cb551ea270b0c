#include "ddp/trainer/train_main.hpp"

#include <ATen/Parallel.h>
#include <c10/util/Logging.h>
#include <torch/version.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/job_environment.hpp"
#include "ddp/jobenv/own_progress.hpp"
#include "ddp/jobenv/progress_page.hpp"
#include "ddp/jobenv/rank_contract.hpp"
#include "ddp/trainer/init_process_group.hpp"
#include "jobenv/config/diagnostic.hpp"
#include "trainer/app/device.hpp"
#include "trainer/app/failure.hpp"
#include "trainer/app/last_words.hpp"
#include "trainer/app/libtorch_version.hpp"
#include "trainer/app/network_probe.hpp"
#include "trainer/app/numerics.hpp"
#include "trainer/app/own_heap.hpp"
#include "trainer/app/stop_signals.hpp"
#include "trainer/app/train_options.hpp"
#include "trainer/checkpoint/writes_in_flight.hpp"
#include "trainer/config/load_train_config.hpp"
#include "trainer/config/schema_fault.hpp"
#include "trainer/config/schema_json.hpp"
#include "trainer/config/setting_list.hpp"
#include "trainer/distributed/agreement/same_settings.hpp"
#include "trainer/loop/training_run.hpp"

namespace ddp::trainer {
namespace {

// What main knows before LibTorch is touched.
struct Rank {
  EnvMap env;
  TrainOptions options;
  JobEnvironment job;
  TrainConfig config;
  std::vector<std::string> settings;         // what the configuration says, in lines
  std::vector<std::string> shared_settings;  // those that the ranks have in common
};

int refuse(const Error& error) {
  std::fputs(render_diagnostic(error).c_str(), stderr);
  return static_cast<int>(error.code);
}

int refuse(const Errors& errors) {
  std::fputs(render_diagnostics(errors).c_str(), stderr);
  return static_cast<int>(errors.front().code);
}

std::optional<int> store_descriptor(const EnvMap& env) {
  const auto text = env.get(kStoreFd);
  int descriptor = -1;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), descriptor).ec != std::errc())
    return {};
  return descriptor;
}

void set_threads(int cpus) {
  at::set_num_threads(cpus);
  at::set_num_interop_threads(1);
}

// LibTorch's warnings come with a backtrace each; who wants them sets LibTorch's own variable.
void set_libtorch_log_level(const EnvMap& env) {
  if (env.has("TORCH_CPP_LOG_LEVEL")) {
    c10::initLogging();
  } else {
    FLAGS_caffe2_log_level = c10::GLOG_ERROR;
  }
}

int train(const Rank& rank, ProgressPage& page, const Components& own) {
  // Declared outside of the try block, so that an exception does not destroy them.
  std::optional<ProcessGroup> group;
  std::optional<TrainingRun> run;
  leave_when_uncaught(rank.job.rank, [limit = rank.config.collective_timeout] { (void)await_writes(limit); });
  try {
    const Placement placement = resolve_placement(rank.config, rank.job);
    if (rank.job.rank == 0 && !placement.remark.empty())
      std::printf("WARNING: %s\n", placement.remark.c_str());
    set_libtorch_log_level(rank.env);
    set_threads(rank.job.cpus_per_task);
    if (is_fully_sharded(rank.config)) give_back_large_blocks();
    set_numerics(rank.config, placement.device, rank.env);
    group.emplace(init_process_group(
        rank.job, {.backend = placement.backend,
                   .shared_memory = rank.config.shared_memory,
                   .timeout = rank.config.collective_timeout,
                   .store_descriptor = store_descriptor(rank.env),
                   .device = placement.device.is_cuda() ? std::optional<int>(placement.device.index())
                                                        : std::nullopt}));
    require_same_settings(rank.shared_settings, *group);
    if (!rank.env.has(kProgressFd)) take_stop_signals(page);
    const auto& chosen = rank.options.run_dir;
    if (rank.job.rank == 0 && !chosen.empty()) std::filesystem::create_directories(chosen);
    const auto run_dir = chosen.empty() ? std::filesystem::path(rank.job.run_dir) : chosen;
    run.emplace(
        TrainingJob{rank.config, rank.job, run_dir, placement.device, page, *group, own, rank.settings});
    return run->run() == Outcome::stopped ? kExitStopped : 0;
  } catch (...) {
    // A checkpoint that is being written is what the next attempt goes on from: the process lives as long as
    // that takes, if not too long.
    leave(rank.job.rank, describe_failure(std::current_exception()), [&run] {
      if (run) run->settle_checkpoint();
    });
  }
}

int probe(const EnvMap& env, const JobEnvironment& job) {
  try {
    set_libtorch_log_level(env);
    set_threads(job.cpus_per_task);
    run_network_probe(job, store_descriptor(env), [](const nlohmann::json& line) {
      std::puts(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
      std::fflush(stdout);
    });
    return 0;
  } catch (...) {
    leave(job.rank, describe_failure(std::current_exception()));
  }
}

int run_rank(const Rank& rank, const Components& own) {
  auto progress = ProgressMapping::attach(rank.env);
  if (!progress) return refuse(progress.error());
  // A signal may come as long as the process lives: the page is never unmapped.
  static auto* const page = new ProgressMapping(std::move(*progress));
  show_progress_on(page->page());
  if (rank.env.has(kProgressFd)) leave_stop_signals_to_agent();
  return train(rank, page->page(), own);
}

/// The first component of a program that it cannot make.
template <class Kind>
const Kind* find_unmade(const std::vector<Kind>& kinds) {
  const auto found = std::ranges::find_if(kinds, [](const Kind& kind) { return kind.make == nullptr; });
  return found == kinds.end() ? nullptr : &*found;
}

/// Those of ddptrain and `own`. A name in use would hide a component.
Expected<ComponentSchemas> all_schemas(const Components& own) {
  ComponentSchemas schemas = bundled_schemas();
  for (const ModelKind& kind : own.models) schemas.models.push_back(kind.schema);
  for (const DatasetKind& kind : own.datasets) schemas.datasets.push_back(kind.schema);
  constexpr const char* kHint = "correct the components that this program gives to train_main";
  if (const auto fault = find_schema_fault(schemas)) return fail(ExitCode::config_invalid, *fault, kHint);
  const auto unmade = [&](const std::string& name) {
    return fail(ExitCode::config_invalid, "the component '" + name + "' has no make()", kHint);
  };
  if (const auto* model = find_unmade(own.models)) return unmade(model->schema.name);
  if (const auto* dataset = find_unmade(own.datasets)) return unmade(dataset->schema.name);
  return schemas;
}

int run_main(int argc, const char* const* argv, const Components& own) {
  const std::string program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "ddptrain";
  auto options = parse_train_options(argc, argv);
  if (!options) {
    std::fprintf(stderr, "%s: %s\n%s", program.c_str(), options.error().message.c_str(),
                 usage(program).c_str());
    return static_cast<int>(options.error().code);
  }
  using Action = TrainOptions::Action;
  if (options->action == Action::show_help) {
    std::fputs(usage(program).c_str(), stdout);
    return 0;
  }
  if (options->action == Action::show_version) {
    std::puts("ddptrain " DDP_VERSION " with LibTorch " TORCH_VERSION);
    return 0;
  }

  if (const auto foreign = find_foreign_libtorch()) return refuse(*foreign);
  const auto schemas = all_schemas(own);
  if (!schemas) return refuse(schemas.error());
  if (options->action == Action::show_components) {
    std::puts(render_schemas(*schemas).c_str());
    return 0;
  }

  const EnvMap env = EnvMap::capture();
  auto job = JobEnvironment::from(env);
  if (!job) return refuse(job.error());
  if (options->action == Action::probe) return probe(env, *job);
  auto config = load_train_config(options->config, job->world_size, env.get("HOME").value_or(""), *schemas);
  if (!config) return refuse(config.error());
  if (options->action == Action::check_config) return 0;
  auto settings = list_settings(*config, *schemas, FilePlaces::listed);
  auto shared_settings = list_settings(*config, *schemas, FilePlaces::left_out);
  return run_rank({env, std::move(*options), std::move(*job), std::move(*config), std::move(settings),
                   std::move(shared_settings)},
                  own);
}

}  // namespace

void train_main(int argc, char** argv, const Components& own) {
  // LibTorch writes to the store of rank 0 even when that is gone: an error then, which names the lost peer.
  std::signal(SIGPIPE, SIG_IGN);
  // Past a limit of the size of files a write fails, and says so, as on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  keep_freed_memory();
  const int code = run_main(argc, argv, own);
  // Everything of the run is destroyed by now. To undo the registrations of LibTorch's libraries as well
  // would take another 80 ms of CPU time, a third of what a short run takes.
  std::fflush(stdout);
  std::_Exit(code);
}

}  // namespace ddp::trainer
