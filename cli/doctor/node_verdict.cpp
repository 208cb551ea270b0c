#include "cli/doctor/node_verdict.hpp"

#include <fmt/format.h>

#include "cli/doctor/amount_text.hpp"
#include "cli/doctor/clock_verdict.hpp"
#include "cli/doctor/disk_verdict.hpp"
#include "cli/output/count_text.hpp"
#include "jobenv/config/suggestion.hpp"

namespace ddp::cli {
namespace {

constexpr std::uint64_t kLittleMemory = std::uint64_t{512} << 20;

std::string describe_way(const NetworkFacts& network) {
  if (network.address.empty()) return "no route to the first node";
  return fmt::format("{} {}", network.interface.empty() ? "?" : network.interface, network.address);
}

std::string describe_gpus(const NodeFacts& node) {
  if (node.gpus.driver.empty()) return "no GPU";
  return fmt::format("{} (driver {})", render_count(node.gpus.uuids.size(), "GPU"), node.gpus.driver);
}

Finding describe_node(const NodeFacts& node) {
  return {
      .found = fmt::format(
          "{}, {} of memory free, {}, glibc {}, {}, clock {}",
          render_count(static_cast<std::size_t>(node.cpus), "CPU"), render_bytes(node.memory_available_bytes),
          describe_gpus(node), node.libc, describe_way(node.network),
          judge_node_clock(node.network.clock_offset_seconds, node.network.clock_uncertainty_seconds).found),
      .details = {"run_root: " + render_disk(node.run_root), "/tmp: " + render_disk(node.temporary)},
      .check = "node"};
}

Finding judge_version(const NodeFacts& node) {
  if (node.agent_version == DDP_VERSION) return {};
  return {
      .verdict = Verdict::error,
      .found = "its ddp-agent has version " + node.agent_version + ", not " DDP_VERSION,
      .advice = "the nodes must use the same programs as this machine: check for an old copy on the node"};
}

Finding judge_trainer(const NodeFacts& node, const RunSpec& spec) {
  if (node.trainer.starts()) return {};
  const auto& missing = node.trainer.missing_libraries;
  return {.verdict = spec.train ? Verdict::error : Verdict::warning,
          .found = missing.empty() ? node.trainer.problem
                                   : "ddptrain does not find its libraries: " + join_words(missing, ", "),
          .advice = "LibTorch must have the same path on all nodes, or be in LD_LIBRARY_PATH"};
}

/// The command of the run's launcher that shows who uses the memory of a node.
std::string look_at(const NodeFacts& node, const RunSpec& spec) {
  const auto command = spec.launcher->by_hand.look_at_host;
  return command != nullptr ? command(node.host) : "top -bn1";
}

Finding judge_memory(const NodeFacts& node, const RunSpec& spec) {
  if (node.memory_available_bytes == 0 || node.memory_available_bytes >= kLittleMemory) return {};
  return {.verdict = Verdict::warning,
          .found = render_bytes(node.memory_available_bytes) + " of memory is free",
          .advice = "see which processes of the node use its memory, with: " + look_at(node, spec)};
}

Finding judge_shared_folder(const NodeFacts& node) {
  if (node.shared_problem.empty()) return {};
  return {.verdict = Verdict::error,
          .found = node.shared_problem,
          .advice = "run_root must be the same folder on all nodes"};
}

Finding judge_network(const NodeFacts& node) {
  if (!node.network.problem.empty()) {
    return {.verdict = Verdict::error,
            .found = node.network.problem,
            .advice = "check for a firewall between the nodes: they need all ports above 1023"};
  }
  if (node.network.free_port > 0) return {};
  return {.verdict = Verdict::error,
          .found = "no port of " + node.network.address + " can be bound",
          .advice = "check net.ipv4.ip_local_port_range on that node"};
}

Finding judge_gpus(const NodeFacts& node, const RunSpec& spec) {
  const int wanted = spec.resources.gpus_per_node;
  if (wanted == 0) return {};
  if (node.gpus.driver.empty()) {
    return {.verdict = Verdict::error,
            .found = "the job has GPUs on this node, but no NVIDIA driver is loaded",
            .advice = "tell the administrators; other accelerators are not supported"};
  }
  if (static_cast<int>(node.gpus.uuids.size()) >= wanted) return {};
  return {
      .verdict = Verdict::error,
      .found = fmt::format("{}, but the run needs {}", render_count(node.gpus.uuids.size(), "GPU"), wanted),
      .advice = "a GPU may have failed: tell the administrators"};
}

}  // namespace

Findings judge_node(const NodeFacts& node, const RunSpec& spec) {
  Findings findings{describe_node(node)};
  const auto add = [&](std::string_view check, Finding finding) {
    if (finding.verdict == Verdict::ok) return;
    finding.check = check;
    findings.push_back(std::move(finding));
  };
  add("ddp-agent", judge_version(node));
  add(kTrainerCheck, judge_trainer(node, spec));
  add("memory", judge_memory(node, spec));
  add("run_root", judge_disk(node.run_root));
  add("/tmp", judge_disk(node.temporary));
  add("shared folder", judge_shared_folder(node));
  add("network", judge_network(node));
  add("clock", judge_node_clock(node.network.clock_offset_seconds, node.network.clock_uncertainty_seconds));
  add("GPUs", judge_gpus(node, spec));
  for (auto& finding : findings) finding.host = node.host;
  return findings;
}

}  // namespace ddp::cli
