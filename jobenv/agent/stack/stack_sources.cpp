#include "jobenv/agent/stack/stack_sources.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <thread>

#include "jobenv/agent/process/process_stat.hpp"
#include "jobenv/agent/stack/stack_process.hpp"
#include "jobenv/agent/stack/stack_text.hpp"
#include "jobenv/agent/stack/timed_tool.hpp"
#include "jobenv/record/files/file_descriptor.hpp"
#include "jobenv/record/files/proc_file.hpp"
#include "jobenv/record/program_path.hpp"

namespace ddp::agent {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPrintPause{10};
constexpr milliseconds kSettled{30};  // without another line, faulthandler is done
constexpr const char* kMemfdName = "ddpsubmit-stack";

struct StackTool {
  const char* name;
  std::vector<std::string> (*argv)(const std::string& pid);
  Frames (*parse)(std::string_view text);
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
                                       parse_gdb}};

/// Also where the program itself is: a virtual environment need not be in PATH.
EnvMap add_own_folder(EnvMap environment, pid_t pid) {
  const auto words = load_proc_file("/proc/" + std::to_string(pid) + "/cmdline");
  const auto folder = std::filesystem::path(words.substr(0, words.find('\0'))).parent_path().string();
  const auto path = environment.get("PATH").value_or(kDefaultPath);
  if (folder.starts_with('/')) environment.set("PATH", folder + ":" + path);
  return environment;
}

class StackTaker {
 public:
  StackTaker(const StackOptions& options, const EnvMap& environment)
      : options_(options),
        pid_(find_working_process(options.pid)),
        environment_(add_own_folder(environment, pid_)),
        deadline_(Clock::now() + options.patience) {}

  RankStack take() {
    stack_.rank = options_.rank;
    stack_.process = name_of(load_main_thread_state(pid_));
    const bool stopped = stack_.process == name_of(ProcessState::stopped);
    if (ask(stopped ? kPySpyOfStopped : kPySpy) || (!stopped && ask_faulthandler())) return stack_;
    for (const StackTool& tool : kNativeTools) {
      if (ask(tool)) return stack_;
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

  bool ask(const StackTool& tool) {
    const auto text = run_timed(tool.argv(std::to_string(pid_)), environment_, deadline_);
    return text && answered(tool.name, tool.parse(*text));
  }

  /// A process that takes no signals gives nothing: the others are to have time left.
  bool ask_faulthandler() {
    if (options_.signal <= 0) return false;
    const auto owner = find_owner_of_memfd(options_.pid, options_.descriptor, kMemfdName);
    if (!owner) return false;
    const auto path = "/proc/" + std::to_string(*owner) + "/fd/" + std::to_string(options_.descriptor);
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const off_t before = lseek(file.get(), 0, SEEK_END);
    if (before < 0 || kill(*owner, options_.signal) != 0) return false;
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
