#include "cli/launchers/slurm/query/pending_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace ddp::cli {
namespace {

struct ReasonRow {
  std::string_view reason;
  std::string_view meaning;
};

// Slurm's src/common/slurm_protocol_defs.c, 22.05 to 25.05, and the words that slurmctld writes over them.
constexpr std::array kReasons{
    // The queue
    ReasonRow{"Resources", "no nodes are free for it yet: it is next in line"},
    ReasonRow{"Priority", "jobs with higher priority start before it"},
    ReasonRow{"BeginTime", "Slurm holds it until its start time"},
    ReasonRow{"Dependency", "it waits for the jobs that it depends on"},
    ReasonRow{"DependencyNeverSatisfied",
              "a job that it depends on did not end as required: it will never start; cancel it, and run it "
              "again without the dependency"},
    ReasonRow{"JobArrayTaskLimit",
              "the sweep already runs its maximum number of points (sweep_options.at_once): it waits for one "
              "of them to end"},
    ReasonRow{"Licenses", "all licenses that it needs are in use"},
    ReasonRow{"Cleaning", "Slurm still cleans up after its last start"},
    ReasonRow{"Prolog", "the cluster prepares its nodes"},
    ReasonRow{"FedJobLock", "the clusters of the federation are choosing which of them runs it"},
    ReasonRow{"DeadLine", "it cannot end before its deadline: it will never start; cancel it"},
    ReasonRow{"SchedDefer", "the scheduler has deferred it and will try again"},
    // Held
    ReasonRow{"JobHeldUser", "it is held by its owner; release it: scontrol release {job}"},
    ReasonRow{"JobHeldAdmin", "it is held by an administrator; ask them why"},
    ReasonRow{"JobHoldMaxRequeue",
              "it was requeued too often and is held; see logs/head.log, then: scontrol release {job}"},
    ReasonRow{
        "launch failed requeued held",
        "a node could not start it, and Slurm holds it; tell the administrators, then: scontrol release "
        "{job}"},
    ReasonRow{"job requeued in held state",
              "it was requeued and is held; release it: scontrol release {job}"},
    // The partition
    ReasonRow{
        "PartitionConfig",
        "the partition can never run it: it asks for more nodes, time or memory than the partition has; "
        "cancel it, and ask for less or choose another slurm.partition"},
    ReasonRow{"PartitionNodeLimit",
              "it asks for more nodes than the partition allows; cancel it, and lower resources.nodes or "
              "choose another slurm.partition"},
    ReasonRow{
        "PartitionTimeLimit",
        "it asks for more time than the partition allows; cancel it, and lower resources.time or choose "
        "another slurm.partition"},
    ReasonRow{"PartitionDown", "the partition is down; wait, or choose another slurm.partition"},
    ReasonRow{"PartitionInactive",
              "the partition starts no jobs now; wait, or choose another slurm.partition"},
    // Nodes
    ReasonRow{"ReqNodeNotAvail",
              "a node that it needs is down, drained or reserved, perhaps for maintenance; wait, or ask for "
              "less time or other nodes"},
    ReasonRow{
        "Nodes required for job are DOWN",
        "nodes that it needs are down, drained, or kept for partitions of higher priority; see sinfo -R"},
    ReasonRow{"BadConstraints",
              "no node has what it asks for; cancel it, and change resources or slurm.constraint"},
    ReasonRow{"NodeDown", "a node that it needs is down; see sinfo -R"},
    ReasonRow{"FrontEndDown", "no front end node is up; tell the administrators"},
    ReasonRow{"PowerNotAvail", "the cluster has no power left for it; wait"},
    ReasonRow{"PowerReserved", "the power that it needs is reserved; wait"},
    ReasonRow{"Reservation", "it waits for the reservation that it asks for to begin"},
    ReasonRow{"ReservationDeleted",
              "the reservation that it asks for is gone; cancel it, and run it again without"},
    ReasonRow{"BurstBufferResources", "the burst buffer has no room for it yet"},
    ReasonRow{"BurstBufferStageIn", "its data are copied into the burst buffer"},
    ReasonRow{"BurstBufferOperation", "an operation of the burst buffer failed; tell the administrators"},
    ReasonRow{"SystemFailure", "Slurm or the file system failed; tell the administrators"},
    ReasonRow{"JobLaunchFailure", "a node could not start it; tell the administrators"},
    // Who pays
    ReasonRow{"InvalidAccount", "its account is not valid; cancel it, and set slurm.account"},
    ReasonRow{"AccountNotAllowed",
              "its account may not use this partition; cancel it, and set slurm.account or slurm.partition"},
    ReasonRow{"InvalidQOS", "its QOS is not valid; cancel it, and set slurm.qos"},
    ReasonRow{"QOSNotAllowed",
              "its QOS may not be used with this partition or account; cancel it, and set slurm.qos"},
    ReasonRow{"QOSUsageThreshold",
              "its account has used its share: it waits until the recorded usage decays"},
    ReasonRow{"QOSJobLimit",
              "its QOS has its maximum number of running jobs: it waits for one of them to end"},
    ReasonRow{"QOSResourceLimit",
              "the jobs of its QOS use all resources that they may: it waits for one of them to end"},
    ReasonRow{"QOSTimeLimit", "it asks for more time than its QOS allows; lower resources.time"},
    ReasonRow{"AssociationJobLimit",
              "your account has its maximum number of running jobs: it waits for one of them to end"},
    ReasonRow{"AssociationResourceLimit",
              "the jobs of your account use all resources that they may: it waits for one of them to end"},
    ReasonRow{"AssociationTimeLimit", "it asks for more time than your account allows; lower resources.time"},
    ReasonRow{"AccountingPolicy", "a limit of your account or QOS delays it; see: sacctmgr show assoc"},
    ReasonRow{"MaxMemPerLimit",
              "it asks for more memory than a job may have; cancel it, and lower resources.memory"},
};

struct FamilyRow {
  std::string_view begin;
  std::string_view part;  ///< that it holds after `begin`
  std::string_view meaning;
};

// One for each resource: QOSMaxCpuPerUserLimit, AssocGrpGRES, … The first that fits counts.
constexpr std::array kFamilies{
    FamilyRow{
        "QOSGrp", "",
        "the jobs of its QOS together use all resources that they may: it waits for some of them to end"},
    FamilyRow{"QOSMax", "PerUser",
              "your jobs use all resources that its QOS gives one user: it waits for one of them to end"},
    FamilyRow{
        "QOSMax", "PerAccount",
        "the jobs of your account use all resources that its QOS gives: it waits for one of them to end"},
    FamilyRow{"QOSMax", "Wall",
              "it asks for more time than its QOS allows; cancel it, and lower resources.time or change "
              "slurm.qos"},
    FamilyRow{"QOSMax", "",
              "it asks for more than its QOS allows; cancel it, and lower resources or change slurm.qos"},
    FamilyRow{"QOSMin", "",
              "it asks for less than its QOS demands; cancel it, and raise resources or change slurm.qos"},
    FamilyRow{"AssocGrp", "",
              "the jobs of your account together use all resources that they may: it waits for some of them "
              "to end"},
    FamilyRow{"AssocMaxJobs", "",
              "you have your maximum number of running jobs: it waits for one of them to end"},
    FamilyRow{"AssocMax", "Wall",
              "it asks for more time than your account allows; cancel it, and lower resources.time"},
    FamilyRow{"AssocMax", "",
              "it asks for more than your account allows; cancel it, and lower resources or change "
              "slurm.account"},
    FamilyRow{
        "Max", "PerAccount",
        "the jobs of your account use all resources that its QOS gives: it waits for one of them to end"},
    FamilyRow{"Max", "PerUser",
              "your jobs use all resources that one user may have: it waits for one of them to end"},
};

bool is_in(const FamilyRow& family, std::string_view reason) {
  return reason.starts_with(family.begin) &&
         reason.substr(family.begin.size()).find(family.part) != std::string_view::npos;
}

/// "ReqNodeNotAvail, UnavailableNodes:n1" is about ReqNodeNotAvail.
bool is_about(std::string_view reason, std::string_view known) {
  return reason.starts_with(known) && reason.substr(known.size()).find_first_of(", :") == 0;
}

std::optional<std::string_view> find_meaning(std::string_view words) {
  const auto row = std::ranges::find_if(kReasons, [words](const ReasonRow& known) {
    return words == known.reason || is_about(words, known.reason);
  });
  if (row != kReasons.end()) return row->meaning;
  const auto family =
      std::ranges::find_if(kFamilies, [words](const FamilyRow& known) { return is_in(known, words); });
  if (family != kFamilies.end()) return family->meaning;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> explain_pending(std::string_view reason, const std::string& job_id) {
  std::string words(reason);
  std::ranges::replace(words, '_', ' ');
  const auto meaning = find_meaning(words);
  if (!meaning) return std::nullopt;
  return fmt::format(fmt::runtime(*meaning), fmt::arg("job", job_id));
}

}  // namespace ddp::cli
