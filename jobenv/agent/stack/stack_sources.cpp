#include "jobenv/agent/stack/stack_sources.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <thread>

#include "jobenv/agent/process/caught_signals.hpp"
#include "jobenv/agent/process/process_stat.hpp"
#include "jobenv/agent/stack/stack_process.hpp"
#include "jobenv/agent/stack/stack_text.hpp"
#include "jobenv/agent/stack/timed_tool.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/proc_file.hpp"
#include "jobenv/record/process_descriptor.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::agent {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPrintPause{10};
constexpr milliseconds kShortestUse{200};  // of a tool
constexpr milliseconds kSettled{30};       // without another line, faulthandler is done
constexpr const char* kMemfdName = "ddpsubmit-stack";

struct StackTool {
  const char* name;
  std::vector<std::string> (*argv)(const std::string& pid);
  Frames (*parse)(std::string_view text);
  StackTools among = StackTools::quick;
};

constexpr StackTool kPySpy = {"py-spy",
                              [](const std::string& pid) {
                                return std::vector<std::string>{"py-spy", "dump", "--pid", pid};
                              },
                              parse_py_spy};
/// It would wait for a stopped process to stop.
constexpr StackTool kPySpyOfStopped = {
    "py-spy",
    [](const std::string& pid) {
      return std::vector<std::string>{"py-spy", "dump", "--nonblocking", "--pid", pid};
    },
    parse_py_spy};
constexpr StackTool kNativeTools[] = {{"eu-stack",
                                       [](const std::string& pid) {
                                         return std::vector<std::string>{"eu-stack", "-1", "-p", pid};
                                       },
                                       parse_eu_stack},
                                      {"gdb",
                                       [](const std::string& pid) {
                                         return std::vector<std::string>{"gdb", "-nx", "-batch", "-p",
                                                                         pid,   "-ex", "bt"};
                                       },
                                       parse_gdb, StackTools::all}};

bool is_ours_alone(const std::filesystem::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return (status.st_uid == 0 || status.st_uid == geteuid()) && (status.st_mode & 022) == 0;
}

/// Behind the folders of PATH that of the program, as a virtual environment need not be in it. A node may
/// have no way to the server that debuggers fetch symbols from.
EnvMap environment_of_tools(EnvMap environment, pid_t pid) {
  environment.remove_if([](std::string_view name) { return name == "DEBUGINFOD_URLS"; });
  const auto words = load_proc_file("/proc/" + std::to_string(pid) + "/cmdline");
  const auto folder = std::filesystem::path(words.substr(0, words.find('\0'))).parent_path();
  if (folder.is_absolute() && is_ours_alone(folder)) append_to_path(environment, folder);
  return environment;
}

class StackTaker {
 public:
  StackTaker(const StackOptions& options, const EnvMap& environment)
      : options_(options),
        pid_(find_working_process(options.pid)),
        environment_(environment_of_tools(environment, pid_)),
        deadline_(Clock::now() + options.patience) {}

  RankStack take() {
    stack_.rank = options_.rank;
    const auto process = load_main_thread_state(pid_);
    stack_.process = name_of(process);
    // One that is stopped, or in the kernel, does not stop for a tool that wants to trace it.
    const bool can_be_traced = !is_stopped(process) && process != ProcessState::in_kernel;
    if (can_be_traced && ask_faulthandler()) return stack_;
    if (ask(can_be_traced ? kPySpy : kPySpyOfStopped)) return stack_;
    for (const StackTool& tool : kNativeTools) {
      const bool allowed = options_.tools == StackTools::all || tool.among == StackTools::quick;
      if (allowed && (can_be_traced || process == ProcessState::stopped) && ask(tool)) return stack_;
    }
    (void)answered("kernel", load_kernel_frames(pid_));
    return stack_;
  }

 private:
  bool answered(const char* source, Frames frames) {
    stack_.source = source;
    stack_.frames = std::move(frames);
    return !stack_.frames.empty();
  }

  [[nodiscard]] milliseconds time_left() const {
    return std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
  }

  /// Two thirds of what is left are for this tool, the rest for those behind it.
  bool ask(const StackTool& tool) {
    if (time_left() < kShortestUse) return false;
    const auto deadline = Clock::now() + time_left() * 2 / 3;
    const auto text = run_timed(tool.argv(std::to_string(pid_)), environment_, deadline);
    if (text) return answered(tool.name, tool.parse(*text));
    if (Clock::now() >= deadline) let_go();
    return false;
  }

  /// A tracer that was killed may have left a request to stop, which the process has not seen yet.
  void let_go() const {
    if (stack_.process != name_of(ProcessState::stopped)) kill(pid_, SIGCONT);
  }

  bool ask_faulthandler() {
    if (options_.signal <= 0 || options_.signal > SIGRTMAX) return false;
    const auto owner = find_owner_of_memfd(options_.pid, options_.descriptor, kMemfdName);
    if (!owner) return false;
    const auto process = open_process_descriptor(*owner);
    const auto path = "/proc/" + std::to_string(*owner) + "/fd/" + std::to_string(options_.descriptor);
    // A rank may have put a FIFO there: to open it would wait for a writer. It cannot be sought in.
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    const off_t before = lseek(file.get(), 0, SEEK_END);
    // Without a handler the signal would end the process.
    if (before < 0 || !has_handler(*owner, options_.signal)) return false;
    if (signal_process(process, options_.signal) != 0) return false;
    return answered("faulthandler", parse_faulthandler(read_what_follows(file.get(), before)));
  }

  std::string read_what_follows(int file, off_t at) const {
    const auto end = std::min(deadline_, Clock::now() + options_.patience / 2);
    std::string text;
    auto heard = Clock::now();
    while (Clock::now() < end && (text.empty() || Clock::now() - heard < kSettled)) {
      std::array<char, 4096> part{};
      const auto size = pread(file, part.data(), part.size(), at + static_cast<off_t>(text.size()));
      if (size > 0) {
        text.append(part.data(), static_cast<std::size_t>(size));
        heard = Clock::now();
      } else {
        std::this_thread::sleep_for(kPrintPause);
      }
    }
    return text;
  }

  StackOptions options_;
  pid_t pid_;
  EnvMap environment_;
  Clock::time_point deadline_;
  RankStack stack_;
};

}  // namespace

RankStack take_stack(const StackOptions& options, const EnvMap& environment) {
  return StackTaker(options, environment).take();
}

}  // namespace ddp::agent
