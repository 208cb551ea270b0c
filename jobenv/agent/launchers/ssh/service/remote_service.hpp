#pragma once

#include <iosfwd>
#include <string>

#include "ddp/jobenv/env_map.hpp"
#include "jobenv/agent/launchers/ssh/service/own_folder.hpp"
#include "jobenv/agent/launchers/ssh/service/program_store.hpp"
#include "jobenv/remote/remote_messages.hpp"

namespace ddp::agent {

struct Reply {
  remote::Answer answer;
  std::string bytes = {};  ///< of a file; they follow the answer
};

/// What `ddpsubmit` talks to on an ssh host: answers its requests, one after another, until they end. What it
/// starts belongs to no session of ssh and goes on without it. Blocks; single-threaded.
class RemoteService {
 public:
  /// `environment`: that of the login. `program`: the path of this executable. `folder`: the host's own, for
  /// programs and runs. `content`: where the bytes come from that follow a request.
  RemoteService(EnvMap environment, std::string program, OwnFolder folder, std::istream& content)
      : environment_(std::move(environment)),
        program_(std::move(program)),
        folder_(std::move(folder)),
        programs_(folder_.root()),
        content_(content) {}

  [[nodiscard]] remote::Greeting greet() const;
  [[nodiscard]] Reply answer(const remote::Request& request) const;

 private:
  [[nodiscard]] remote::Answer on(const remote::See& request) const;
  [[nodiscard]] remote::Answer on(const remote::StartHead& request) const;
  [[nodiscard]] remote::Answer on(const remote::StartNode& request) const;
  [[nodiscard]] remote::Answer on(const remote::SendSignal& request) const;
  [[nodiscard]] remote::Answer on(const remote::FindRanks& request) const;
  [[nodiscard]] remote::Answer on(const remote::FindRuns& request) const;
  [[nodiscard]] remote::Answer on(const remote::FindProgram& request) const;
  [[nodiscard]] remote::Answer on(const remote::ReadyPrograms& request) const;
  [[nodiscard]] remote::Answer on(const remote::PlaceFiles& request) const;
  [[nodiscard]] remote::Answer on(const remote::FindMissing& request) const;
  [[nodiscard]] remote::Answer on(const remote::RestoreFiles& request) const;
  [[nodiscard]] remote::Answer on(const remote::KeepContent& request) const;
  [[nodiscard]] remote::Answer on(const remote::WriteRun& request) const;
  [[nodiscard]] remote::Answer on(const remote::ReadRun& request) const;
  [[nodiscard]] remote::Answer on(const remote::ListFiles& request) const;
  [[nodiscard]] Reply on(const remote::SendFile& request) const;
  [[nodiscard]] remote::Answer on(const remote::RemoveRun& request) const;
  [[nodiscard]] EnvMap make_environment(const remote::RemoteEnvironment& wanted) const;

  EnvMap environment_;
  std::string program_;
  OwnFolder folder_;
  ProgramStore programs_;
  std::istream& content_;
};

/// Serves `input` and stdout: each answer on a line of its own that begins with `marker` and a blank, and
/// its bytes behind it. Returns the exit code of the process. Without a service it answers once: why there is
/// none.
[[nodiscard]] int serve_remote(const Expected<RemoteService>& service, const std::string& marker,
                               std::istream& input);

}  // namespace ddp::agent
