#pragma once

#include <memory>
#include <vector>

#include "cli/launchers/ssh/keys/ssh_options.hpp"
#include "cli/spec/run_spec.hpp"

namespace ddp::cli {

/// A line of a host file, and where it stands.
struct HostLine {
  SshHost host;
  Place place;
};

/// A host a line, as in the files of Open MPI and DeepSpeed: "node1", "ann@node1 slots=4 max_slots=8"; what
/// follows a '#' is a comment. Pure; all errors at once.
[[nodiscard]] tl::expected<std::vector<HostLine>, Errors> parse_host_file(
    const std::shared_ptr<const SourceText>& source);

/// Reads ssh.host_file of `spec` and appends its hosts to ssh.hosts, with the places of their lines; the spec
/// names no file then.
void add_hosts_of_file(RunSpec& spec, Errors& errors);

}  // namespace ddp::cli
