#pragma once

#include <filesystem>
#include <string>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"

namespace ddp::cli {

/// What a host is to hold of a run: head's host also what is known of its earlier attempts.
enum class RunPart { node, head };

/// The plan as a host reads it whose own folder is `folder`: it has the run there, the agent of `agent`, and
/// the trainer in `program_folder`, or no trainer. Pure.
[[nodiscard]] LaunchPlan plan_for_host(const LaunchPlan& plan, const std::string& folder,
                                       const PushedAgent& agent, const std::string& program_folder);

/// The run folder on a host whose own folder is `folder`.
[[nodiscard]] std::string run_dir_on_host(const std::string& folder, const std::string& run_id);

/// Writes the run folder of `plan`, one of plan_for_host; its files come from `folder` on this machine.
[[nodiscard]] Expected<void> push_run(RemoteHost& host, const std::string& name, const LaunchPlan& plan,
                                      const std::string& spec, const RunFolder& folder, RunPart part);

/// Of a run that is not started after all.
void take_secrets_back(RemoteHost& host, const LaunchPlan& plan);

/// Tells head's host of the cancels on record.
[[nodiscard]] Expected<void> push_cancels(RemoteHost& host, const std::string& name, const RunFolder& folder);

/// Brings `folder` up to date with what the run has recorded on head's host, or up to 16 MiB nearer to it.
/// The ledger is written last, so that behind the end of the run all is there that it speaks of.
[[nodiscard]] Expected<void> fetch_records(RemoteHost& host, const std::string& name,
                                           const RunFolder& folder);

}  // namespace ddp::cli
