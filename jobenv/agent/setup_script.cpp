#include "jobenv/agent/setup_script.hpp"

#include <algorithm>
#include <iterator>

#include "jobenv/agent/log_tail.hpp"

namespace ddp::agent {
namespace {

constexpr std::size_t kShownBytes = 160;

/// Stands on the first line, so that what bash says of line N is about line N of the plan. ERR is trapped
/// because only it makes DEBUG see a subshell that fails. Outside of functions the EXIT trap sets off DEBUG
/// itself, with line 1: then the line before counts. A status of 2 without ERR is a syntax error, behind the
/// line that DEBUG has seen, unless it comes from `exit 2`.
std::string render_traps(int report) {
  return "ddpsubmit_tell() { local code=$? line=$ddpsubmit_line; "
         "[[ $code == 0 || ( $code == 2 && -z $ddpsubmit_failed && $BASH_COMMAND != exit* ) ]] && return; "
         "[[ $line != 1 || $ddpsubmit_before == 0 ]] || line=$ddpsubmit_before; "
         "printf %d \"$line\" >&" +
         std::to_string(report) +
         "; }; ddpsubmit_failed= ddpsubmit_before=0 ddpsubmit_line=0; "
         "trap ddpsubmit_tell EXIT; trap ddpsubmit_failed=1 ERR; "
         "trap 'ddpsubmit_before=$ddpsubmit_line ddpsubmit_line=$LINENO' DEBUG; ";
}

std::string render_exec(int report) {
  return "trap - DEBUG ERR EXIT; unset -f ddpsubmit_tell; "
         "unset ddpsubmit_failed ddpsubmit_before ddpsubmit_line; exec \"$@\" " +
         std::to_string(report) + ">&-";
}

std::string quote(std::string line) {
  line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
  if (line.size() > kShownBytes) line = line.substr(0, kShownBytes) + "…";
  return "`" + to_valid_utf8(line) + "`";
}

}  // namespace

std::string render_setup_script(const LaunchPlan& plan, int report) {
  std::string script = render_traps(report);
  for (const std::string& line : plan.setup) script += line + '\n';
  return script + render_exec(report);
}

std::string describe_setup_line(const LaunchPlan& plan, int line) {
  if (line < 1 || line > std::ssize(plan.setup)) return {};
  const auto index = static_cast<std::size_t>(line) - 1;
  const std::string place =
      plan.setup_places.empty() ? " in line " + std::to_string(line) : " at " + plan.setup_places.at(index);
  return place + ": " + quote(plan.setup[index]);
}

}  // namespace ddp::agent
