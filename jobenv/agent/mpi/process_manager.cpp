#include "jobenv/agent/mpi/process_manager.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "ddp/jobenv/whole_number.hpp"
#include "jobenv/agent/mpi/mpi_library.hpp"
#include "jobenv/agent/process/process_tree.hpp"

namespace ddp::agent {
namespace {

/// By these another process manager says what the ranks' job is.
constexpr std::array<std::string_view, 5> kForeignNames = {"PMI_", "PMI2_", "PMIX_", "PALS_", "HYDI_"};

/// Half of the attempt's nonce: the name can be read by all users of a host.
std::string name_of_job(const JobEnvironment& job) {
  return "ddpsubmit-" + job.nonce.substr(0, job.nonce.size() / 2);
}

bool is_number(std::string_view text) {
  return text.size() <= 11 && parse_whole_number(text.starts_with('-') ? text.substr(1) : text).has_value();
}

/// Of libfabric's TCP. UCX takes a name for all of its transports: that of an interface would switch off
/// InfiniBand.
void choose_network(const std::string& interface, EnvMap& environment) {
  if (interface != "auto" && !environment.get("FI_TCP_IFACE")) environment.set("FI_TCP_IFACE", interface);
}

}  // namespace

ProcessManager::ProcessManager(EventLoop& loop, const JobEnvironment& job, Report report)
    : report_(std::move(report)),
      server_(loop, {name_of_job(job), static_cast<int>(job.hostnames.size()), job.local_world_size},
              {[this](const PmiPairs& pairs) { report_(PmiPairsPut{pairs}); },
               [this] { report_(PmiBarrierReached{}); },
               [this](int rank, const std::string& code) { on_abort(rank, code); }}) {}

Expected<void> ProcessManager::equip(const LaunchPlan& plan, int rank, GuardedProcess& process,
                                     EnvMap& environment) {
  const auto socket = server_.add(rank);
  if (!socket) return tl::unexpected(socket.error());
  environment.remove_if([](std::string_view name) {
    return std::ranges::any_of(kForeignNames,
                               [name](std::string_view start) { return name.starts_with(start); });
  });
  environment.set("PMI_FD", std::to_string(*socket));
  environment.set("PMI_RANK", std::to_string(rank));
  environment.set("PMI_SIZE", std::to_string(server_.job().world_size()));
  choose_network(plan.interface, environment);
  process.inherited.push_back(*socket);
  return {};
}

void ProcessManager::on_started(int rank, pid_t pid) {
  ranks_[rank] = pid;
  if (aborted_.contains(rank)) end(rank);
}

void ProcessManager::on_abort(int rank, const std::string& code) {
  aborted_[rank] = "MPI_Abort was called" + (is_number(code) ? " with error code " + code : "");
  end(rank);
}

/// MPICH returns from MPI_Abort unless its process manager kills it.
void ProcessManager::end(int rank) const {
  const auto found = ranks_.find(rank);
  if (found != ranks_.end()) kill(-found->second, SIGKILL);
}

std::string ProcessManager::failure_of(int rank) const {
  const auto found = aborted_.find(rank);
  return found == aborted_.end() ? std::string() : found->second;
}

}  // namespace ddp::agent
