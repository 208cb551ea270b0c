#include "cli/launchers/ssh/preflight/host_programs.hpp"

#include <filesystem>
#include <map>
#include <optional>

#include "cli/launch/plan/job_base_environment.hpp"
#include "cli/launch/plan/python_environment.hpp"
#include "ddp/jobenv/host_list.hpp"

namespace ddp::cli {
namespace {

/// By the order of `targets`; an error for a host that does not answer: a late answer would be taken for one
/// to the next question.
std::vector<Expected<remote::ProgramFound>> ask_all(const remote::FindProgram& question,
                                                    const std::vector<SshTarget>& targets,
                                                    const std::vector<Expected<RemoteHost*>>& hosts) {
  std::vector<Expected<remote::ProgramFound>> answers(hosts.size());
  do_on_all(hosts.size(), [&](std::size_t index) {
    answers[index] = hosts[index]
                         ? ask_for<remote::ProgramFound>(**hosts[index], targets[index].host, question)
                         : tl::unexpected(hosts[index].error());
  });
  return answers;
}

std::string warn_of_other(const std::string& program, const std::string& here, const std::string& there,
                          std::vector<std::string> names) {
  return "'" + program + "' is " + here + " here, and " + there + " on " +
         HostList(std::move(names)).compress() +
         ": hosts have a PATH of their own; write the path into 'command', or set environment.pass: [PATH]";
}

/// The environment that is active here, where set-up lines, a PATH of the run or ssh.stage: push decide.
std::optional<std::string> warn_of_unused_environment(const LaunchRequest& request, const EnvMap& submitter) {
  const auto program = program_of_active_environment(request.plan.argv.front(), submitter);
  if (!program) return std::nullopt;
  return "'" + request.plan.argv.front() + "' is " + program->string() +
         " here, and the hosts do not get that environment: activate one in environment.setup, or write the "
         "path of "
         "a program of the hosts into 'command'";
}

/// Python's own, where this machine has it and the hosts do not get it.
std::optional<std::string> warn_of_python_path(const LaunchRequest& request, const EnvMap& submitter) {
  const std::filesystem::path program(request.plan.argv.front());
  const bool given = request.environment.has("PYTHONPATH") || request.plan.set.contains("PYTHONPATH");
  if (!program.filename().string().starts_with("python") || given || !submitter.has("PYTHONPATH")) return {};
  return "PYTHONPATH is set here, and the hosts do not get it: set environment.pass: [PYTHONPATH] if the "
         "program "
         "needs it";
}

using Answers = std::vector<Expected<remote::ProgramFound>>;

void require_program(const std::string& program, const std::vector<SshTarget>& targets,
                     const Answers& answers, Preflight& found) {
  for (std::size_t index = 0; index < answers.size(); ++index) {
    if (!answers[index] || !answers[index]->path.empty()) continue;
    found.errors.push_back(
        {ExitCode::preflight_failed,
         targets[index].host + ": there is no '" + program +
             "', the program of the environment that is active here",
         "make the environment in a folder that all hosts share, or activate that of the hosts in "
         "environment.setup"});
  }
}

void compare_programs(const std::string& program, const std::filesystem::path& here,
                      const std::vector<SshTarget>& targets, const Answers& answers, Preflight& found) {
  std::error_code error;
  const auto real = std::filesystem::canonical(here, error).string();
  std::map<std::string, std::vector<std::string>> others;  // hosts, by the program that they find
  for (std::size_t index = 0; index < answers.size(); ++index) {
    const auto& there = answers[index];
    if (there && !there->path.empty() && there->path != here && there->real != real)
      others[there->path].push_back(targets[index].host);
  }
  for (auto& [there, names] : others)
    found.warnings.push_back(warn_of_other(program, here.string(), there, std::move(names)));
}

}  // namespace

Preflight check_programs(const LaunchRequest& request, const EnvMap& submitter,
                         const std::vector<SshTarget>& targets,
                         const std::vector<Expected<RemoteHost*>>& hosts) {
  Preflight found;
  if (request.plan.program != ProgramKind::command) return found;
  if (auto warning = warn_of_unused_environment(request, submitter))
    found.warnings.push_back(std::move(*warning));
  if (!request.plan.setup.empty() || !request.plan.shared_folder) return found;
  const std::string& program = request.plan.argv.front();
  const bool is_path = program.find('/') != std::string::npos;
  const bool is_of_environment = program.starts_with('/') && program != request.spec.command.front();
  if (is_path && !is_of_environment) return found;
  auto environment = request.environment.variables();
  for (const auto& [name, value] : request.plan.set) environment[name] = value;
  const auto answers =
      ask_all({program, {environment, scrubbed_variables(*request.spec.launcher)}}, targets, hosts);
  for (std::size_t index = 0; index < answers.size(); ++index)
    if (!answers[index] && hosts[index]) found.errors.push_back(answers[index].error());
  if (is_of_environment) {
    require_program(program, targets, answers, found);
  } else if (const auto here = resolve_program(program, submitter)) {
    compare_programs(program, *here, targets, answers, found);
  }
  if (auto warning = warn_of_python_path(request, submitter)) found.warnings.push_back(std::move(*warning));
  return found;
}

}  // namespace ddp::cli
