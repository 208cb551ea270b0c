#include "jobenv/agent/probe/probe_facts.hpp"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "jobenv/agent/process/child_program.hpp"
#include "jobenv/agent/process/guarded_process.hpp"
#include "jobenv/probe/memory.hpp"
#include "jobenv/probe/missing_libraries.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/program_path.hpp"
#include "jobenv/record/run_folder.hpp"

namespace ddp::agent {
namespace {

namespace fs = std::filesystem;

struct ProgramEnd {
  int status = -1;  ///< of waitpid
  std::string out;
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer;
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
  }
}

Expected<ProgramEnd> run_to_end(std::vector<std::string> argv, EnvMap environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno(ExitCode::run_failed, "cannot create a pipe", errno);
  const FileDescriptor source(ends[0]);
  FileDescriptor sink(ends[1]);
  const auto pid =
      spawn({.argv = std::move(argv), .environment = std::move(environment), .output = sink.get()});
  if (!pid) return tl::unexpected(pid.error());
  sink = {};
  ProgramEnd end;
  end.out = read_all(source.get());
  while (waitpid(*pid, &end.status, 0) < 0 && errno == EINTR) {
  }
  return end;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

TrainerFacts inspect_trainer(const std::string& trainer, const EnvMap& env) {
  TrainerFacts facts;
  if (trainer.empty()) return facts;
  const auto listed = run_to_end({trainer}, EnvMap(env).set(kTraceLibraries, "1"));
  if (listed) facts.missing_libraries = parse_missing_libraries(listed->out);
  const auto asked = run_to_end({trainer, "--version"}, env);
  if (!asked) {
    facts.problem = asked.error().message;
  } else if (asked->status != 0) {
    facts.problem = "'ddptrain --version' fails";
  } else {
    facts.version = first_line(asked->out);
  }
  return facts;
}

/// Every node must see what head has written, and head's node what they write.
std::string check_shared_folder(const JobEnvironment& job) {
  const RunFolder folder{fs::path(job.run_dir)};
  const auto claim = load_file(folder.claim(job.attempt));
  if (!claim) return "does not see the file that head wrote: " + claim.error().message;
  if (claim->find(job.nonce) == claim->npos) return "sees an older file than the one that head wrote";
  const auto own = seen_file(job, job.rank);
  std::error_code error;
  fs::create_directories(own.parent_path(), error);
  if (error) return "cannot create " + own.parent_path().string() + ": " + error.message();
  const auto saved = save_file(own, job.nonce, Durability::synced);
  return saved ? "" : saved.error().message;
}

int count_cpus() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

std::string kernel_release() {
  utsname names{};
  return uname(&names) == 0 ? names.release : "";
}

}  // namespace

NodeFacts gather_node_facts(const JobEnvironment& job, const ProbeArguments& arguments, const EnvMap& env) {
  NodeFacts facts;
  facts.node_rank = job.node_rank;
  facts.host = job.node_name;
  facts.agent_version = DDP_VERSION;
  facts.kernel = kernel_release();
  facts.libc = gnu_get_libc_version();
  facts.cpus = count_cpus();
  facts.memory_available_bytes = measure_available_memory();
  facts.run_root = measure_disk(fs::path(job.run_dir)).value_or(DiskSpace{});
  facts.temporary = measure_disk(env.get("TMPDIR").value_or("/tmp")).value_or(DiskSpace{});
  if (arguments.run_dirs == RunDirs::shared) facts.shared_problem = check_shared_folder(job);
  facts.gpus = read_gpus("/proc/driver/nvidia");
  facts.visible_gpus = env.get("CUDA_VISIBLE_DEVICES").value_or("");
  facts.trainer = inspect_trainer(arguments.trainer, env);
  if (!arguments.program.empty()) facts.program_problem = find_program_problem(arguments.program, env);
  return facts;
}

std::string find_program_problem(const std::string& program, const EnvMap& env) {
  const auto path = env.get("PATH").value_or(kDefaultPath);
  if (std::ranges::any_of(find_programs(program, path), is_executable)) return {};
  if (program.find('/') == program.npos) return "'" + program + "' is not in PATH (" + path + ")";
  std::error_code error;
  const bool absolute = program.starts_with('/');
  return "'" + program + "' is not an executable file" +
         (absolute ? "" : " in " + fs::current_path(error).string());
}

fs::path seen_file(const JobEnvironment& job, int rank) {
  return fs::path(job.run_dir) / "probe" / ("rank-" + std::to_string(rank));
}

}  // namespace ddp::agent
