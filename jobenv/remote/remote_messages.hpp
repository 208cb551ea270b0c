#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ddp/jobenv/error.hpp"
#include "jobenv/record/fields/object_form.hpp"
#include "jobenv/record/files/file_piece.hpp"

/// What ddpsubmit says to `ddp-agent remote` on an ssh host, and what that answers: a line of JSON each. The
/// agent's lines begin with a marker that ddpsubmit has chosen, so that nothing else that a login prints is
/// taken for one of them.
namespace ddp::remote {

inline constexpr int kMaxSignal = 64;
inline constexpr int kMaxNode = 1 << 20;
/// Of a file: who may read, write and execute it.
inline constexpr int kMaxMode = 0777;
/// So many files of a run are listed at most; one more says that there are too many.
inline constexpr std::size_t kMostListedFiles = 50'000;

/// A process, told apart from every later one that gets the same number.
struct ProcessName {
  std::string boot_id;
  int pid = 0;
  std::uint64_t start = 0;  ///< field 22 of /proc/PID/stat

  static void describe(auto& fields, auto& process) {
    fields.field("boot_id", process.boot_id);
    fields.field("pid", process.pid, 1);
    fields.field("start", process.start);
  }
  bool operator==(const ProcessName&) const = default;
};

// ---- from ddpsubmit

/// Whether `file` is there and holds `text`, and whether its folder can be written to: Seen is the answer.
struct See {
  static constexpr const char* kName = "see";
  std::string file;
  std::string text;

  static void describe(auto& fields, auto& see) {
    fields.field("file", see.file);
    fields.field("text", see.text);
  }
  bool operator==(const See&) const = default;
};
/// The variables of a process: the host's own, without those that `dropped` names ("SLURM_*" names all that
/// begin so), and then those of `set`.
struct RemoteEnvironment {
  std::map<std::string, std::string> set;
  std::vector<std::string> dropped;

  static void describe(auto& fields, auto& environment) {
    fields.field("set", environment.set);
    fields.field("dropped", environment.dropped);
  }
  bool operator==(const RemoteEnvironment&) const = default;
};
/// Where agents find a head, and what they have to know.
struct HeadAddress {
  std::string endpoints;  ///< "address:port,address:port"
  std::string nonce;

  static void describe(auto& fields, auto& address) {
    fields.field("endpoints", address.endpoints);
    fields.field("nonce", address.nonce);
  }
  bool operator==(const HeadAddress&) const = default;
};
/// Start the head of the run: HeadStarted is the answer, when agents can reach it.
struct StartHead {
  static constexpr const char* kName = "start_head";
  std::string run_dir;
  int node_rank = 0;  ///< of its host
  RemoteEnvironment environment;

  static void describe(auto& fields, auto& start) {
    fields.field("run_dir", start.run_dir);
    fields.field("node_rank", start.node_rank, 0, kMaxNode);
    RemoteEnvironment::describe(fields, start.environment);
  }
  bool operator==(const StartHead&) const = default;
};
/// Start the agent of a node: NodeStarted is the answer.
struct StartNode {
  static constexpr const char* kName = "start_node";
  std::string run_dir;
  int node_rank = 0;
  int head_node = 0;  ///< the node rank of head's host
  HeadAddress head;
  RemoteEnvironment environment;

  static void describe(auto& fields, auto& start) {
    fields.field("run_dir", start.run_dir);
    fields.field("node_rank", start.node_rank, 0, kMaxNode);
    fields.field("head_node", start.head_node, 0, kMaxNode);
    HeadAddress::describe(fields, start.head);
    RemoteEnvironment::describe(fields, start.environment);
  }
  bool operator==(const StartNode&) const = default;
};
/// Send `signal` to the process, 0 only to look: ProcessSeen is the answer.
struct SendSignal {
  static constexpr const char* kName = "signal";
  ProcessName process;
  int signal = 0;

  static void describe(auto& fields, auto& send) {
    fields.field("signal", send.signal, 0, kMaxSignal);
    ProcessName::describe(fields, send.process);
  }
  bool operator==(const SendSignal&) const = default;
};
/// Look for processes of ranks of the run that are left on the host.
struct FindRanks {
  static constexpr const char* kName = "find_ranks";
  std::string run_dir;

  static void describe(auto& fields, auto& find) { fields.field("run_dir", find.run_dir); }
  bool operator==(const FindRanks&) const = default;
};

/// Look for runs that have ranks on the host: RunsFound is the answer.
struct FindRuns {
  static constexpr const char* kName = "find_runs";
  bool operator==(const FindRuns&) const = default;
};
/// Which file the first rank of a run would be, in this environment: ProgramFound is the answer.
struct FindProgram {
  static constexpr const char* kName = "find_program";
  std::string program;  ///< a path, or a name to look for in PATH
  RemoteEnvironment environment;

  static void describe(auto& fields, auto& find) {
    fields.field("program", find.program);
    RemoteEnvironment::describe(fields, find.environment);
  }
  bool operator==(const FindProgram&) const = default;
};

// Where the hosts share no folder, they have one of their own for programs and runs: Greeting::folder.

/// A file of a program, ours or the user's, by its content.
struct ProgramFile {
  std::string name;    ///< in the folder of the program: "ddptrain", "lib/libc10.so"
  std::string sha256;  ///< in hex
  std::uint64_t size = 0;

  static void describe(auto& fields, auto& file) {
    fields.field("name", file.name);
    fields.field("sha256", file.sha256);
    fields.field("size", file.size);
  }
  bool operator==(const ProgramFile&) const = default;
};
/// Make a folder of these files, from contents that are there: FilesReady is the answer.
struct ReadyPrograms {
  static constexpr const char* kName = "ready_programs";
  std::vector<ProgramFile> files;

  static void describe(auto& fields, auto& ready) {
    fields.items("files", ready.files, ObjectForm<ProgramFile>{"program file"});
  }
  bool operator==(const ReadyPrograms&) const = default;
};
/// A file of the user's own program.
struct UserFile {
  ProgramFile file;
  int mode = 0600;

  static void describe(auto& fields, auto& user) {
    ProgramFile::describe(fields, user.file);
    fields.field("mode", user.mode, 0, kMaxMode);
  }
  bool operator==(const UserFile&) const = default;
};
/// Copy contents that are there into the folder in which the ranks of the run start: FilesReady is the
/// answer.
struct PlaceFiles {
  static constexpr const char* kName = "place_files";
  std::string run_id;
  std::vector<UserFile> files;
  std::map<std::string, std::string> links = {};  ///< what symbolic links say, by their names

  static void describe(auto& fields, auto& place) {
    fields.field("run_id", place.run_id);
    fields.items("files", place.files, ObjectForm<UserFile>{"file of the user"});
    fields.field("links", place.links);
  }
  bool operator==(const PlaceFiles&) const = default;
};
/// Which of these contents are missing: FilesReady is the answer, without a folder.
struct FindMissing {
  static constexpr const char* kName = "find_missing";
  std::vector<ProgramFile> files;

  static void describe(auto& fields, auto& find) {
    fields.items("files", find.files, ObjectForm<ProgramFile>{"file of the run"});
  }
  bool operator==(const FindMissing&) const = default;
};
/// Put contents that are there below the folder of the run: FilesReady is the answer.
struct RestoreFiles {
  static constexpr const char* kName = "restore_files";
  std::string run_id;
  std::vector<UserFile> files;  ///< by their paths below the run folder

  static void describe(auto& fields, auto& restore) {
    fields.field("run_id", restore.run_id);
    fields.items("files", restore.files, ObjectForm<UserFile>{"file of the run"});
  }
  bool operator==(const RestoreFiles&) const = default;
};
/// Keep the bytes that follow this line, `size` - `offset` of them: Done is the answer. Those before `offset`
/// are there from a copy that was broken off (MissingContent::have).
struct KeepContent {
  static constexpr const char* kName = "keep_content";
  std::string sha256;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;

  static void describe(auto& fields, auto& keep) {
    fields.field("sha256", keep.sha256);
    fields.field("size", keep.size);
    fields.field("offset", keep.offset);
  }
  bool operator==(const KeepContent&) const = default;
};
/// Write these files of the run, and of `history` those that are not there: RunWritten is the answer.
struct WriteRun {
  static constexpr const char* kName = "write_run";
  std::string run_id;
  std::map<std::string, std::string> files;  ///< texts, by path below the run folder
  std::map<std::string, std::string> history;

  static void describe(auto& fields, auto& write) {
    fields.field("run_id", write.run_id);
    fields.field("files", write.files);
    fields.field("history", write.history);
  }
  bool operator==(const WriteRun&) const = default;
};
/// What a run has recorded beyond what the submit host has of it: RunRecords is the answer.
struct ReadRun {
  static constexpr const char* kName = "read_run";
  std::string run_dir;
  std::map<std::string, std::uint64_t> have;  ///< bytes, by path below the run folder

  static void describe(auto& fields, auto& read) {
    fields.field("run_dir", read.run_dir);
    fields.field("have", read.have);
  }
  bool operator==(const ReadRun&) const = default;
};
/// Which files lie below these folders of a run: FilesListed is the answer.
struct ListFiles {
  static constexpr const char* kName = "list_files";
  std::string run_id;
  std::vector<std::string> folders;  ///< below the run folder

  static void describe(auto& fields, auto& list) {
    fields.field("run_id", list.run_id);
    fields.field("folders", list.folders);
  }
  bool operator==(const ListFiles&) const = default;
};
/// A file that lies below a run folder, in one of its states.
struct HostFile {
  std::string path;  ///< below the run folder
  std::uint64_t size = 0;
  std::uint64_t changed = 0;  ///< when it was last written, in ns since 1970 on the host's clock
  int mode = 0600;

  static void describe(auto& fields, auto& file) {
    fields.field("path", file.path);
    fields.field("size", file.size);
    fields.field("changed", file.changed);
    fields.field("mode", file.mode, 0, kMaxMode);
  }
  bool operator==(const HostFile&) const = default;
};
/// Send bytes of a file, as long as it is in this state: FileBytes is the answer; it has none if the file has
/// changed.
struct SendFile {
  static constexpr const char* kName = "send_file";
  std::string run_id;
  HostFile file;
  std::uint64_t offset = 0;
  std::uint64_t most = 0;

  static void describe(auto& fields, auto& send) {
    fields.field("run_id", send.run_id);
    HostFile::describe(fields, send.file);
    fields.field("offset", send.offset);
    fields.field("most", send.most);
  }
  bool operator==(const SendFile&) const = default;
};
/// Remove the folder of a run that has ended, and the files of the user that no run needs any more:
/// RunRemoved is the answer.
struct RemoveRun {
  static constexpr const char* kName = "remove_run";
  std::string run_id;

  static void describe(auto& fields, auto& remove) { fields.field("run_id", remove.run_id); }
  bool operator==(const RemoveRun&) const = default;
};
using Request = std::variant<See, StartHead, StartNode, SendSignal, FindRanks, FindRuns, FindProgram,
                             ReadyPrograms, PlaceFiles, FindMissing, RestoreFiles, KeepContent, WriteRun,
                             ReadRun, ListFiles, SendFile, RemoveRun>;

// ---- from the agent

/// The first line, unasked.
struct Greeting {
  static constexpr const char* kName = "greeting";
  std::string version;
  std::string host_name;
  std::string boot_id;
  std::string libc;       ///< the version of glibc
  std::string folder;     ///< for programs and runs, where no folder is shared
  std::string folder_id;  ///< of that folder, and no other

  static void describe(auto& fields, auto& greeting) {
    fields.field("version", greeting.version);
    fields.field("host_name", greeting.host_name);
    fields.field("boot_id", greeting.boot_id);
    fields.field("libc", greeting.libc);
    fields.field("folder", greeting.folder);
    fields.field("folder_id", greeting.folder_id);
  }
  bool operator==(const Greeting&) const = default;
};
struct Seen {
  static constexpr const char* kName = "seen";
  bool same = false;
  std::string problem;      ///< why nothing can be written there; empty: it can
  std::string killed_user;  ///< whose processes end with the session; empty: they may go on

  static void describe(auto& fields, auto& seen) {
    fields.field("same", seen.same);
    fields.field("problem", seen.problem);
    fields.field("killed_user", seen.killed_user);
  }
  bool operator==(const Seen&) const = default;
};
struct HeadStarted {
  static constexpr const char* kName = "head_started";
  ProcessName process;
  HeadAddress address;

  static void describe(auto& fields, auto& started) {
    ProcessName::describe(fields, started.process);
    HeadAddress::describe(fields, started.address);
  }
  bool operator==(const HeadStarted&) const = default;
};
struct NodeStarted {
  static constexpr const char* kName = "node_started";
  ProcessName process;

  static void describe(auto& fields, auto& started) { ProcessName::describe(fields, started.process); }
  bool operator==(const NodeStarted&) const = default;
};
struct ProcessSeen {
  static constexpr const char* kName = "process_seen";
  bool alive = false;  ///< the process was there

  static void describe(auto& fields, auto& seen) { fields.field("alive", seen.alive); }
  bool operator==(const ProcessSeen&) const = default;
};
struct RanksFound {
  static constexpr const char* kName = "ranks_found";
  std::vector<int> pids;

  static void describe(auto& fields, auto& found) { fields.field("pids", found.pids); }
  bool operator==(const RanksFound&) const = default;
};
struct RunsFound {
  static constexpr const char* kName = "runs_found";
  std::vector<std::string> run_dirs;

  static void describe(auto& fields, auto& found) { fields.field("run_dirs", found.run_dirs); }
  bool operator==(const RunsFound&) const = default;
};
struct ProgramFound {
  static constexpr const char* kName = "program_found";
  std::string path;  ///< empty where no executable file was found
  std::string real;  ///< without links

  static void describe(auto& fields, auto& found) {
    fields.field("path", found.path);
    fields.field("real", found.real);
  }
  bool operator==(const ProgramFound&) const = default;
};
/// From the shell that is to become the agent: it is not there. Its bytes are the answer.
struct AgentWanted {
  static constexpr const char* kName = "agent_wanted";
  bool operator==(const AgentWanted&) const = default;
};
/// A content that a host lacks.
struct MissingContent {
  std::string sha256;
  std::uint64_t have = 0;  ///< its first bytes, from a copy that was broken off

  static void describe(auto& fields, auto& content) {
    fields.field("sha256", content.sha256);
    fields.field("have", content.have);
  }
  bool operator==(const MissingContent&) const = default;
};
struct FilesReady {
  static constexpr const char* kName = "files_ready";
  std::string folder;                   ///< of the files; empty: contents are missing
  std::vector<MissingContent> missing;  ///< each once
  std::uint64_t free = 0;               ///< bytes that this user can still write where they are missing

  static void describe(auto& fields, auto& ready) {
    fields.field("folder", ready.folder);
    fields.items("missing", ready.missing, ObjectForm<MissingContent>{"missing content"});
    fields.field("free", ready.free);
  }
  bool operator==(const FilesReady&) const = default;
};
struct FilesListed {
  static constexpr const char* kName = "files_listed";
  std::vector<HostFile> files;
  std::vector<std::string> left_out;  ///< links, and whatever else is neither a file nor a folder

  static void describe(auto& fields, auto& listed) {
    fields.items("files", listed.files, ObjectForm<HostFile>{"file of a host"});
    fields.field("left_out", listed.left_out);
  }
  bool operator==(const FilesListed&) const = default;
};
/// Followed by `size` bytes.
struct FileBytes {
  static constexpr const char* kName = "file_bytes";
  std::uint64_t size = 0;
  std::uint64_t crc32c = 0;  ///< of these bytes

  static void describe(auto& fields, auto& bytes) {
    fields.field("size", bytes.size);
    fields.field("crc32c", bytes.crc32c);
  }
  bool operator==(const FileBytes&) const = default;
};
struct Done {
  static constexpr const char* kName = "done";
  bool operator==(const Done&) const = default;
};
struct RunRemoved {
  static constexpr const char* kName = "run_removed";
  bool was_there = false;

  static void describe(auto& fields, auto& removed) { fields.field("was_there", removed.was_there); }
  bool operator==(const RunRemoved&) const = default;
};
struct RunWritten {
  static constexpr const char* kName = "run_written";
  std::string run_dir;

  static void describe(auto& fields, auto& written) { fields.field("run_dir", written.run_dir); }
  bool operator==(const RunWritten&) const = default;
};
struct RunRecords {
  static constexpr const char* kName = "run_records";
  std::vector<FilePiece> pieces;  ///< a piece at offset 0 is of a file that is new or has another content
  bool more = false;              ///< not all that there is

  static void describe(auto& fields, auto& records) {
    fields.items("pieces", records.pieces, RecordForm<FilePiece>{parse_file_piece});
    fields.field("more", records.more);
  }
  bool operator==(const RunRecords&) const = default;
};
/// What was asked for could not be done.
struct Refused {
  static constexpr const char* kName = "refused";
  std::string why;

  static void describe(auto& fields, auto& refused) { fields.field("why", refused.why); }
  bool operator==(const Refused&) const = default;
};
using Answer = std::variant<Greeting, Seen, HeadStarted, NodeStarted, ProcessSeen, RanksFound, RunsFound,
                            ProgramFound, AgentWanted, FilesReady, FilesListed, FileBytes, Done, RunRemoved,
                            RunWritten, RunRecords, Refused>;

/// Without a newline.
[[nodiscard]] std::string render_request(const Request& request);
[[nodiscard]] std::string render_answer(const Answer& answer);
[[nodiscard]] Expected<Request> parse_request(std::string_view line);
[[nodiscard]] Expected<Answer> parse_answer(std::string_view line);

}  // namespace ddp::remote
