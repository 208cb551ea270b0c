#include "jobenv/agent/launchers/ssh/service/remote_service.hpp"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <span>

#include "ddp/jobenv/host_name.hpp"
#include "jobenv/agent/connection/head_address.hpp"
#include "jobenv/agent/launchers/ssh/service/logind_policy.hpp"
#include "jobenv/agent/launchers/ssh/service/run_files.hpp"
#include "jobenv/agent/launchers/ssh/service/run_reader.hpp"
#include "jobenv/agent/node/host_claim.hpp"
#include "jobenv/agent/process/child_program.hpp"
#include "jobenv/agent/process/guarded_process.hpp"
#include "jobenv/record/files/crc32c.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/plan/plan_file.hpp"
#include "jobenv/record/process_descriptor.hpp"
#include "jobenv/record/process_identity.hpp"
#include "jobenv/record/program_path.hpp"
#include "jobenv/record/run_processes.hpp"

namespace ddp::agent {
namespace {

using namespace remote;

Refused refuse(const Error& error) {
  return {error.hint.empty() ? error.message : error.message + "; " + error.hint};
}

/// Either of the two, as an answer.
template <class Found>
Answer answer_of(const Expected<Found>& found) {
  return found ? Answer(*found) : Answer(refuse(found.error()));
}

bool fits(std::string_view name, std::string_view pattern) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

/// Variables of the login by which programs would find the session of ssh.
bool is_of_ssh(std::string_view name) {
  return name.starts_with("SSH_");
}

std::string problem_with_folder(const std::filesystem::path& folder) {
  if (access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return "'" + folder.string() + "': " + std::strerror(errno);
}

std::string own_user() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(geteuid());
}

Expected<FileDescriptor> open_log(const std::filesystem::path& file) {
  FileDescriptor log(
      open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!log.is_open()) return fail_errno(ExitCode::run_failed, "cannot open '" + file.string() + "'", errno);
  return log;
}

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Expected<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail_errno(ExitCode::run_failed, "cannot create a pipe", errno);
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Until its other end is closed.
std::string read_all(const FileDescriptor& source) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t size = read(source.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

/// A program in a session of its own, in the folder of its run.
Expected<pid_t> start(std::vector<std::string> argv, EnvMap environment, const LaunchPlan& plan,
                      const std::filesystem::path& log_file, int inherited) {
  const auto log = open_log(log_file);
  if (!log) return tl::unexpected(log.error());
  if (chdir(plan.work_dir.c_str()) != 0)
    return fail_errno(ExitCode::run_failed, "cannot enter '" + plan.work_dir + "'", errno);
  return spawn({.argv = std::move(argv),
                .environment = std::move(environment),
                .output = log->get(),
                .errors = log->get(),
                .inherited = inherited});
}

}  // namespace

Greeting RemoteService::greet() const {
  return {DDP_VERSION, host_name(), load_boot_id(), gnu_get_libc_version(), folder_.root(), folder_.id()};
}

Reply RemoteService::answer(const Request& request) const {
  return std::visit([this](const auto& wanted) { return Reply{on(wanted)}; }, request);
}

Answer RemoteService::on(const See& request) const {
  const auto text = load_file(request.file);
  const std::string user = own_user();
  return Seen{text && *text == request.text,
              problem_with_folder(std::filesystem::path(request.file).parent_path()),
              ends_with_session(user) ? user : ""};
}

Answer RemoteService::on(const StartHead& request) const {
  const RunFolder folder(request.run_dir);
  const auto plan = load_plan(folder);
  if (!plan) return refuse(plan.error());
  if (request.node_rank >= plan->nodes)
    return Refused{"the run has no node " + std::to_string(request.node_rank)};
  auto pipe = make_pipe();
  if (!pipe) return refuse(pipe.error());
  const int ready = pipe->write_end.get();
  const auto head = start({program_, "head", "--run-dir", request.run_dir, "--node-rank",
                           std::to_string(request.node_rank), "--ready-fd", std::to_string(ready)},
                          make_environment(request.environment), *plan, folder.head_log(), ready);
  if (!head) return refuse(head.error());
  pipe->write_end = FileDescriptor();
  std::string line = read_all(pipe->read_end);
  line.resize(line.find_last_not_of('\n') + 1);
  auto said = parse_answer(line);
  return said ? *said : Refused{"head ended before it could be reached; see logs/head.log"};
}

Answer RemoteService::on(const StartNode& request) const {
  const RunFolder folder(request.run_dir);
  const auto plan = load_plan(folder);
  if (!plan) return refuse(plan.error());
  if (!HostClaim::on_agent(request.head.nonce, request.node_rank))
    return Refused{"the agent of node " + std::to_string(request.node_rank) + " is still running"};
  EnvMap environment = make_environment(request.environment);
  environment.set(kHeadEndpoints, request.head.endpoints);
  environment.set(kHeadNonce, request.head.nonce);
  environment.set(kHeadRunDir, request.run_dir);
  const auto node =
      start({program_, "kept-node", "--run-dir", request.run_dir, "--node-rank",
             std::to_string(request.node_rank), "--head-node", std::to_string(request.head_node)},
            std::move(environment), *plan, folder.node_log(request.node_rank), -1);
  if (!node) return refuse(node.error());
  return NodeStarted{{load_boot_id(), *node, load_process_start(*node).value_or(0)}};
}

/// The number is held by a descriptor before it is looked at whose it is.
Answer RemoteService::on(const SendSignal& request) const {
  const ProcessName& wanted = request.process;
  if (wanted.boot_id != load_boot_id()) return ProcessSeen{false};
  const FileDescriptor process = open_process_descriptor(wanted.pid);
  if (!process.is_open() || load_process_start(wanted.pid) != wanted.start) return ProcessSeen{false};
  if (request.signal == 0) return ProcessSeen{true};
  const int error = signal_process(process, request.signal);
  if (error == 0 || error == ESRCH) return ProcessSeen{error == 0};
  return Refused{"cannot signal process " + std::to_string(wanted.pid) + ": " + std::strerror(error)};
}

Answer RemoteService::on(const FindRanks& request) const {
  return RanksFound{find_rank_processes({request.run_dir})};
}

Answer RemoteService::on(const FindRuns&) const {
  const auto folders = find_runs_with_ranks();
  return RunsFound{{folders.begin(), folders.end()}};
}

Answer RemoteService::on(const FindProgram& request) const {
  const auto path = make_environment(request.environment).get("PATH").value_or(kDefaultPath);
  const auto files = find_programs(request.program, path);
  const auto found = std::ranges::find_if(files, is_executable);
  if (found == files.end()) return ProgramFound{};
  std::error_code error;
  return ProgramFound{*found, std::filesystem::canonical(*found, error)};
}

Answer RemoteService::on(const ReadyPrograms& request) const {
  return answer_of(programs_.ready(request));
}

Answer RemoteService::on(const PlaceFiles& request) const {
  return answer_of(folder_.make_run_folder(request.run_id).and_then([&](const RunFolder& folder) {
    return programs_.place(request, folder.work());
  }));
}

Answer RemoteService::on(const FindMissing& request) const {
  return answer_of(programs_.look(request));
}

Answer RemoteService::on(const RestoreFiles& request) const {
  return answer_of(folder_.make_run_folder(request.run_id).and_then([&](const RunFolder& folder) {
    return programs_.restore(request, folder.root());
  }));
}

Answer RemoteService::on(const KeepContent& request) const {
  const auto kept = programs_.keep(request, content_);
  return kept ? Answer(Done{}) : Answer(refuse(kept.error()));
}

Answer RemoteService::on(const WriteRun& request) const {
  const auto folder = folder_.write(request);
  return folder ? Answer(RunWritten{*folder}) : Answer(refuse(folder.error()));
}

Answer RemoteService::on(const ReadRun& request) const {
  return answer_of(read_run(request));
}

Answer RemoteService::on(const ListFiles& request) const {
  return answer_of(list_files(folder_, request));
}

Reply RemoteService::on(const SendFile& request) const {
  auto bytes = read_bytes(folder_, request);
  if (!bytes) return {refuse(bytes.error())};
  const auto sum = crc32c(std::as_bytes(std::span(*bytes)));
  return {FileBytes{bytes->size(), sum}, std::move(*bytes)};
}

Answer RemoteService::on(const RemoveRun& request) const {
  return answer_of(remove_run(folder_, request));
}

EnvMap RemoteService::make_environment(const RemoteEnvironment& wanted) const {
  EnvMap environment = environment_;
  environment.remove_if([&](std::string_view name) {
    return is_of_ssh(name) ||
           std::ranges::any_of(wanted.dropped, [&](const std::string& each) { return fits(name, each); });
  });
  environment = environment.patched(EnvMap(wanted.set));
  append_to_path(environment, std::filesystem::path(program_).parent_path());
  return environment;
}

int serve_remote(const Expected<RemoteService>& service, const std::string& marker, std::istream& input) {
  const auto say = [&](const Reply& reply) {
    // What a login has printed may lack the end of its last line.
    std::cout << '\n' << marker << ' ' << render_answer(reply.answer) << '\n' << reply.bytes << std::flush;
  };
  if (!service) {
    say({refuse(service.error())});
    return static_cast<int>(service.error().code);
  }
  say({service->greet()});
  for (std::string line; std::cout && std::getline(input, line);) {
    const auto request = parse_request(line);
    say(request ? service->answer(*request) : Reply{refuse(request.error())});
  }
  return 0;
}

}  // namespace ddp::agent
