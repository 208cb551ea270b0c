#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launchers/ssh/connection/host_pool.hpp"
#include "cli/launchers/ssh/keys/ssh_options.hpp"

namespace ddp::cli {

/// How ddp-agent comes to the hosts of a run with these options; `path`: where it is on this machine.
[[nodiscard]] Expected<RemoteAgent> find_agent(const SshOptions& options, const std::string& path,
                                               const LauncherSeams& seams);

/// How the host `name` of an earlier run is reached, and by which agent.
[[nodiscard]] Expected<RemotePlace> find_place(const RunFolder& folder, const std::string& name,
                                               const LauncherSeams& seams);

/// What is asked of head's host once a run is started. One thread.
class HeadLink {
 public:
  /// `pool` outlives this.
  HeadLink(HostPool& pool, LauncherSeams seams) : pool_(pool), seams_(std::move(seams)) {}

  /// Whether the head of a run was there to be signalled; 0 only looks. `run` has a head. A signal is sent
  /// once, on a connection that has just answered: two of them would be an order to kill.
  [[nodiscard]] Expected<bool> signal(const RunStatus& run, int signal);

  /// Whether the run has records of its own on head's host.
  [[nodiscard]] static bool is_pushed(const RunFolder& folder);
  /// Tells head's host of the cancels on record here. Of a pushed run.
  [[nodiscard]] Expected<void> hand_over_cancels(const RunStatus& run);
  /// Writes a file below the run folder there. Of a pushed run.
  [[nodiscard]] Expected<void> hand_over(const RunStatus& run, const std::string& path,
                                         const std::string& text);
  /// Hands over the cancels, and brings the records here up to date. Of a pushed run.
  [[nodiscard]] Expected<void> exchange(const RunStatus& run);
  /// The same for several, as far as their hosts answer. The errors of the others.
  Errors exchange_where_it_answers(std::span<const RunStatus> runs);

  /// Connects to the hosts of all heads at once. One result a run, in their order; of one without a head
  /// nobody is asked, but of a pushed run, whose records may tell of one.
  [[nodiscard]] std::vector<Expected<void>> reach(std::span<const RunStatus> runs);

 private:
  struct Connected {
    RemoteHost* host;
    RemotePlace place;
  };
  [[nodiscard]] Expected<RemotePlace> place_of_head(const RunStatus& run) const;
  [[nodiscard]] Expected<Connected> connect(const RunStatus& run);
  using Deed =
      std::function<Expected<void>(RemoteHost& host, const std::string& name, const RunFolder& folder)>;
  [[nodiscard]] Expected<void> do_once(const RunStatus& run, const Deed& deed);
  /// What may be done twice: a connection that was kept may have broken meanwhile.
  [[nodiscard]] Expected<void> do_there(const RunStatus& run, const Deed& deed);
  [[nodiscard]] Expected<remote::ProcessSeen> ask_once(const RunStatus& run, int signal);

  HostPool& pool_;
  LauncherSeams seams_;
};

}  // namespace ddp::cli
