#include "jobenv/agent/arguments.hpp"

#include <map>
#include <set>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/record/ledger/index_list.hpp"

namespace ddp::agent {
namespace {

using Options = std::map<std::string, std::string>;

tl::unexpected<Error> misused(const std::string& why) {
  return fail(ExitCode::usage, why, "see ddp-agent --help");
}

/// `--name value` and `--name=value`, each of `known` at most once.
Expected<Options> parse_options(std::span<const std::string> words, const std::set<std::string>& known) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (!known.contains(name)) return misused("unknown argument '" + words[i] + "'");
    if (equals == std::string::npos && i + 1 == words.size()) return misused(name + " needs a value");
    const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    if (!options.emplace(name, value).second) return misused(name + " is given twice");
  }
  return options;
}

Expected<std::string> run_dir_of(const Options& options) {
  const auto found = options.find("--run-dir");
  if (found == options.end()) return misused("--run-dir is missing");
  if (!found->second.starts_with('/')) return misused("--run-dir must be an absolute path");
  return found->second;
}

Expected<int> number_of(const Options& options, const std::string& name) {
  constexpr int kMost = 1 << 22;  // process ids go up to there
  const auto found = options.find(name);
  const auto number = found == options.end() ? std::nullopt : parse_whole_number(found->second);
  if (number && *number <= kMost) return static_cast<int>(*number);
  return misused(name + " must be a whole number");
}

/// Those that are given.
Expected<void> read_numbers(const Options& options,
                            std::initializer_list<std::pair<const char*, std::optional<int>*>> numbers) {
  for (const auto& [name, value] : numbers) {
    if (!options.contains(name)) continue;
    const auto number = number_of(options, name);
    if (!number) return tl::unexpected(number.error());
    *value = *number;
  }
  return {};
}

Expected<Arguments> parse_head(std::span<const std::string> words) {
  const auto options = parse_options(
      words, {"--run-dir", "--node", "--node-rank", "--stdin-fd", "--attached-fd", "--ready-fd"});
  if (!options) return tl::unexpected(options.error());
  const auto run_dir = run_dir_of(*options);
  if (!run_dir) return tl::unexpected(run_dir.error());
  HeadOptions head{
      .run_dir = *run_dir, .node = {}, .node_rank = {}, .stdin_fd = {}, .attached_fd = {}, .ready_fd = {}};
  if (const auto node = options->find("--node"); node != options->end()) head.node = node->second;
  const auto read = read_numbers(*options, {{"--node-rank", &head.node_rank},
                                            {"--stdin-fd", &head.stdin_fd},
                                            {"--attached-fd", &head.attached_fd},
                                            {"--ready-fd", &head.ready_fd}});
  if (!read) return tl::unexpected(read.error());
  return head;
}

Expected<Arguments> parse_node(std::span<const std::string> words) {
  const auto options = parse_options(words, {"--run-dir", "--node-rank", "--head-node", "--stdin-fd"});
  if (!options) return tl::unexpected(options.error());
  const auto run_dir = run_dir_of(*options);
  if (!run_dir) return tl::unexpected(run_dir.error());
  const auto node_rank = number_of(*options, "--node-rank");
  if (!node_rank) return tl::unexpected(node_rank.error());
  NodeArguments node{*run_dir, *node_rank, std::nullopt, std::nullopt};
  const auto read =
      read_numbers(*options, {{"--head-node", &node.head_node}, {"--stdin-fd", &node.stdin_fd}});
  if (!read) return tl::unexpected(read.error());
  return node;
}

Arguments make_kept(const Arguments& node) {
  return KeptNodeArguments{std::get<NodeArguments>(node)};
}

Expected<Arguments> parse_set_up_node(std::span<const std::string> words) {
  const auto options = parse_options(words, {"--result-fd"});
  if (!options) return tl::unexpected(options.error());
  const auto result_fd = number_of(*options, "--result-fd");
  if (!result_fd) return tl::unexpected(result_fd.error());
  return SetUpNodeArguments{*result_fd};
}

Expected<Arguments> parse_remote(std::span<const std::string> words) {
  const auto options = parse_options(words, {"--marker", "--folder"});
  if (!options) return tl::unexpected(options.error());
  const auto marker = options->find("--marker");
  if (marker == options->end()) return misused("--marker is missing");
  const auto folder = options->find("--folder");
  return RemoteArguments{marker->second, folder == options->end() ? "" : folder->second};
}

Expected<Arguments> parse_probe(std::span<const std::string> words) {
  const auto options = parse_options(words, {"--trainer", "--program", "--run-dirs"});
  if (!options) return tl::unexpected(options.error());
  ProbeArguments probe;
  if (const auto program = options->find("--program"); program != options->end())
    probe.program = program->second;
  if (const auto dirs = options->find("--run-dirs"); dirs != options->end()) {
    if (dirs->second != "own") return misused("--run-dirs must be own");
    probe.run_dirs = RunDirs::own;
  }
  const auto trainer = options->find("--trainer");
  if (trainer == options->end()) return probe;
  if (!trainer->second.starts_with('/')) return misused("--trainer must be an absolute path");
  probe.trainer = trainer->second;
  return probe;
}

Expected<Arguments> parse_sweep(std::span<const std::string> words) {
  const auto options = parse_options(words, {"--run-dir", "--points", "--token", "--attached-fd"});
  if (!options) return tl::unexpected(options.error());
  const auto run_dir = run_dir_of(*options);
  if (!run_dir) return tl::unexpected(run_dir.error());
  const auto list = options->find("--points");
  auto points = list == options->end() ? std::nullopt : parse_index_list(list->second);
  if (!points) return misused("--points must be a list such as 0-4,7");
  const auto token = options->find("--token");
  if (token == options->end()) return misused("--token is missing");
  SweepOptions sweep{*run_dir, std::move(*points), token->second, std::nullopt};
  if (options->contains("--attached-fd")) {
    const auto number = number_of(*options, "--attached-fd");
    if (!number) return tl::unexpected(number.error());
    sweep.attached_fd = *number;
  }
  return sweep;
}

Expected<Arguments> parse_stack(std::span<const std::string> words) {
  const auto options =
      parse_options(words, {"--rank", "--pid", "--milliseconds", "--signal", "--descriptor", "--tools"});
  if (!options) return tl::unexpected(options.error());
  StackOptions stack;
  int milliseconds = 0;
  const std::pair<const char*, int*> numbers[] = {{"--rank", &stack.rank},
                                                  {"--pid", &stack.pid},
                                                  {"--milliseconds", &milliseconds},
                                                  {"--signal", &stack.signal},
                                                  {"--descriptor", &stack.descriptor}};
  for (const auto& [name, value] : numbers) {
    const auto number = number_of(*options, name);
    if (!number) return tl::unexpected(number.error());
    *value = *number;
  }
  stack.patience = std::chrono::milliseconds(milliseconds);
  const auto tools = options->find("--tools");
  if (tools == options->end() || (tools->second != "all" && tools->second != "quick"))
    return misused("--tools must be all or quick");
  stack.tools = tools->second == "quick" ? StackTools::quick : StackTools::all;
  return stack;
}

}  // namespace

Expected<Arguments> parse_arguments(std::span<const std::string> words) {
  if (words.empty()) return misused("a role is missing");
  const std::string& role = words.front();
  if (role == "--help" || role == "-h") return HelpArguments{};
  if (role == "--version") return VersionArguments{};
  if (role == "head") return parse_head(words.subspan(1));
  if (role == "node") return parse_node(words.subspan(1));
  if (role == "kept-node") return parse_node(words.subspan(1)).map(make_kept);
  if (role == "set-up-node") return parse_set_up_node(words.subspan(1));
  if (role == "probe") return parse_probe(words.subspan(1));
  if (role == "sweep") return parse_sweep(words.subspan(1));
  if (role == "gpus" && words.size() == 1) return GpusArguments{};
  if (role == "stack") return parse_stack(words.subspan(1));
  if (role == "remote") return parse_remote(words.subspan(1));
  if (role != "task") return misused("unknown role '" + role + "'");
  if (words.size() > 1) return misused("the role 'task' takes no arguments");
  return TaskArguments{};
}

std::string render_usage() {
  return R"(ddp-agent supervises the ranks of a run. 'ddpsubmit run' starts it.

  ddp-agent head --run-dir DIR [--node NAME] [--node-rank K] [--stdin-fd N] [--attached-fd N] [--ready-fd N]
      supervises one run: starts and stops the ranks, names the first failure, writes the ledger
      --node NAME       first node of the job; head refuses to run on another node
      --node-rank K     node rank of the ssh host that head runs on; 0 unless the first hosts are unreachable
      --stdin-fd N      rank 0 reads this descriptor as its stdin
      --attached-fd N   stop the run when the other end of this descriptor is closed
      --ready-fd N      write a line of JSON to this descriptor: that head runs and how agents reach it, or why it does not run
      In a task of a Slurm array, DIR may be the folder of a sweep: head then runs its point
      DDPSUBMIT_FIRST_POINT + SLURM_ARRAY_TASK_ID.
  ddp-agent task
      runs one rank under srun; head sets DDPSUBMIT_HEAD, DDPSUBMIT_NONCE and DDPSUBMIT_RUN_DIR
  ddp-agent node --run-dir DIR --node-rank K [--stdin-fd N]
      runs all ranks of node K; needs the same variables
  ddp-agent kept-node --run-dir DIR --node-rank K [--head-node H]
      the same on an ssh host, with a restart if it is killed. Without a shared folder its records go to head on node H
  ddp-agent set-up-node --result-fd N
      runs after the set-up lines on an ssh host: writes to descriptor N what they have changed, then waits until it is killed
  ddp-agent remote --marker WORD [--folder DIR]
      answers 'ddpsubmit' on an ssh host, over stdin and stdout; each answer begins with WORD. DIR is a folder of this host for
      programs and runs; it is used without a shared folder
  ddp-agent probe [--trainer DDPTRAIN] [--program WORD]
      runs one rank of 'ddpsubmit doctor': prints facts about its node and whether it finds the program WORD, then runs
      'DDPTRAIN --probe'
  ddp-agent sweep --run-dir DIR --points LIST --token TOKEN [--attached-fd N]
      runs points of a sweep on this machine, one after another; LIST is for example 0-4,7
  ddp-agent stack --rank R --pid PID --milliseconds MS --signal S --descriptor N --tools all|quick
      prints the stack of rank R (process PID) as JSON; where tracing is restricted, PID must be a child of the caller
  ddp-agent gpus
      prints the load of the GPUs of this host and the processes on them as JSON

Exit codes of head and sweep: 0 all runs succeeded, 1 a run failed, timed out or was preempted, 3 the plan is not valid, 73 head
cannot claim an attempt in the run folder, 130 cancelled or interrupted, 143 terminated by SIGTERM.
Exit codes of an agent that could not join head: 69 head did not accept it, 68 head could not be reached.
)";
}

std::string render_version() {
  return "ddp-agent " DDP_VERSION "\n";
}

}  // namespace ddp::agent
