#include "cli/launchers/slurm/preflight/srun_check.hpp"

#include "cli/launchers/slurm/script/sbatch_options.hpp"

namespace ddp::cli {
namespace {

/// Its first line, without its own name.
std::string first_words_of_srun(const std::string& words) {
  constexpr std::string_view kName = "srun: ";
  const auto line = words.substr(0, words.find('\n'));
  const auto name = line.find(kName);
  return name == line.npos ? line : line.substr(name + kName.size());
}

}  // namespace

std::optional<std::string> find_srun_objection(const RunSpec& spec, const SlurmTools& tools) {
  const auto options = srun_options_of(spec);
  if (options.empty()) return std::nullopt;
  std::vector<std::string> argv{"srun"};
  for (const auto& option : options) argv.push_back(render_argument(option));
  argv.emplace_back("--version");  // read last: what stands before it has been taken by then
  const auto result = tools.ask(std::move(argv));
  if (!result || result->end != CommandResult::End::exited || result->succeeded()) return std::nullopt;
  const auto words = trim_end(result->err);
  if (is_silence(*result) || says_no_configuration(words)) return std::nullopt;
  return "srun does not take slurm.srun_options on this host: " + first_words_of_srun(words) +
         "; if it does not on the nodes, the run will fail";
}

}  // namespace ddp::cli
