#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/files/file_piece.hpp"

/// What ddpsubmit says to `ddp-agent remote` on an ssh host, and what that answers: a line of JSON each. The
/// agent's lines begin with a marker that ddpsubmit has chosen, so that nothing else that a login prints is
/// taken for one of them.
namespace ddp::remote {

/// A process, told apart from every later one that gets the same number.
struct ProcessName {
  std::string boot_id;
  int pid = 0;
  std::uint64_t start = 0;  ///< field 22 of /proc/PID/stat

  bool operator==(const ProcessName&) const = default;
};

// ---- from ddpsubmit

/// Whether `file` is there and holds `text`, and whether its folder can be written to: Seen is the answer.
struct See {
  std::string file;
  std::string text;
  bool operator==(const See&) const = default;
};
/// The variables of a process: the host's own, without those that `dropped` names, which are names or starts
/// of names with a '*', under those of `set`.
struct RemoteEnvironment {
  std::map<std::string, std::string> set;
  std::vector<std::string> dropped;
  bool operator==(const RemoteEnvironment&) const = default;
};
/// Where agents find a head, and what they have to know.
struct HeadAddress {
  std::string endpoints;  ///< "address:port,address:port"
  std::string nonce;
  bool operator==(const HeadAddress&) const = default;
};
/// Start the head of the run: HeadStarted is the answer, when agents can reach it.
struct StartHead {
  std::string run_dir;
  int node_rank = 0;  ///< of its host
  RemoteEnvironment environment;
  bool operator==(const StartHead&) const = default;
};
/// Start the agent of a node: NodeStarted is the answer.
struct StartNode {
  std::string run_dir;
  int node_rank = 0;
  int head_node = 0;  ///< the node rank of head's host
  HeadAddress head;
  RemoteEnvironment environment;
  bool operator==(const StartNode&) const = default;
};
/// Send `signal` to the process, 0 only to look: ProcessSeen is the answer.
struct SendSignal {
  ProcessName process;
  int signal = 0;
  bool operator==(const SendSignal&) const = default;
};

// Where the hosts share no folder, they have one of their own for programs and runs: Greeting::folder.

/// A file of a program, by its content.
struct ProgramFile {
  std::string name;    ///< in the folder of the program: "ddptrain", "lib/libc10.so"
  std::string sha256;  ///< in hex
  std::uint64_t size = 0;
  bool operator==(const ProgramFile&) const = default;
};
/// Make a folder of these files, from contents that are there: ProgramsReady is the answer.
struct ReadyPrograms {
  std::vector<ProgramFile> files;
  bool operator==(const ReadyPrograms&) const = default;
};
/// Keep the `size` bytes that follow this line: Done is the answer.
struct KeepContent {
  std::string sha256;
  std::uint64_t size = 0;
  bool operator==(const KeepContent&) const = default;
};
/// Write these files of the run, and of `history` those that are not there: RunWritten is the answer.
struct WriteRun {
  std::string run_id;
  std::map<std::string, std::string> files;  ///< texts, by path below the run folder
  std::map<std::string, std::string> history;
  bool operator==(const WriteRun&) const = default;
};
/// What a run has recorded beyond what the submit host has of it: RunRecords is the answer.
struct ReadRun {
  std::string run_dir;
  std::map<std::string, std::uint64_t> have;  ///< bytes, by path below the run folder
  bool operator==(const ReadRun&) const = default;
};
using Request =
    std::variant<See, StartHead, StartNode, SendSignal, ReadyPrograms, KeepContent, WriteRun, ReadRun>;

// ---- from the agent

/// The first line, unasked.
struct Greeting {
  std::string version;
  std::string host_name;
  std::string boot_id;
  std::string folder;     ///< for programs and runs, where no folder is shared
  std::string folder_id;  ///< of that folder, and no other
  bool operator==(const Greeting&) const = default;
};
struct Seen {
  bool same = false;
  std::string problem;      ///< why nothing can be written there; empty: it can
  std::string killed_user;  ///< whose processes end with the session; empty: they may go on
  bool operator==(const Seen&) const = default;
};
struct HeadStarted {
  ProcessName process;
  HeadAddress address;
  bool operator==(const HeadStarted&) const = default;
};
struct NodeStarted {
  ProcessName process;
  bool operator==(const NodeStarted&) const = default;
};
struct ProcessSeen {
  bool alive = false;  ///< the process was there
  bool operator==(const ProcessSeen&) const = default;
};
/// From the shell that is to become the agent: it is not there. Its bytes are the answer.
struct AgentWanted {
  bool operator==(const AgentWanted&) const = default;
};
struct ProgramsReady {
  std::string folder;                ///< of the files; empty: contents are missing
  std::vector<std::string> missing;  ///< their hashes
  bool operator==(const ProgramsReady&) const = default;
};
struct Done {
  bool operator==(const Done&) const = default;
};
struct RunWritten {
  std::string run_dir;
  bool operator==(const RunWritten&) const = default;
};
struct RunRecords {
  std::vector<FilePiece> pieces;  ///< a piece at offset 0 is of a file that is new or has another content
  bool more = false;              ///< not all that there is
  bool operator==(const RunRecords&) const = default;
};
/// What was asked for could not be done.
struct Refused {
  std::string why;
  bool operator==(const Refused&) const = default;
};
using Answer = std::variant<Greeting, Seen, HeadStarted, NodeStarted, ProcessSeen, AgentWanted, ProgramsReady,
                            Done, RunWritten, RunRecords, Refused>;

/// Without a newline.
[[nodiscard]] std::string render_request(const Request& request);
[[nodiscard]] std::string render_answer(const Answer& answer);
[[nodiscard]] Expected<Request> parse_request(std::string_view line);
[[nodiscard]] Expected<Answer> parse_answer(std::string_view line);

}  // namespace ddp::remote
