#include "jobenv/remote/remote_messages.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "jobenv/record/json_fields.hpp"

namespace ddp::remote {
namespace {

using nlohmann::json;

constexpr int kMaxSignal = 64;
constexpr int kMaxNode = 1 << 20;

void put(json& line, const ProcessName& process) {
  line["boot_id"] = process.boot_id;
  line["pid"] = process.pid;
  line["start"] = process.start;
}
void put(json& line, const RemoteEnvironment& environment) {
  line["set"] = environment.set;
  line["dropped"] = environment.dropped;
}
void put(json& line, const HeadAddress& address) {
  line["endpoints"] = address.endpoints;
  line["nonce"] = address.nonce;
}

void read(JsonFields& fields, ProcessName& process) {
  fields.read("boot_id", process.boot_id);
  fields.read("pid", process.pid, 1);
  fields.read("start", process.start);
}
void read(JsonFields& fields, RemoteEnvironment& environment) {
  fields.read("set", environment.set);
  fields.read("dropped", environment.dropped);
}
void read(JsonFields& fields, HeadAddress& address) {
  fields.read("endpoints", address.endpoints);
  fields.read("nonce", address.nonce);
}

// ---- what each message is called, and what it holds

constexpr const char* name_of(const See&) {
  return "see";
}
void put(json& line, const See& request) {
  line["file"] = request.file;
  line["text"] = request.text;
}
void read(JsonFields& fields, See& request) {
  fields.read("file", request.file);
  fields.read("text", request.text);
}

constexpr const char* name_of(const StartHead&) {
  return "start_head";
}
void put(json& line, const StartHead& request) {
  line["run_dir"] = request.run_dir;
  line["node_rank"] = request.node_rank;
  put(line, request.environment);
}
void read(JsonFields& fields, StartHead& request) {
  fields.read("run_dir", request.run_dir);
  fields.read("node_rank", request.node_rank, 0, kMaxNode);
  read(fields, request.environment);
}

constexpr const char* name_of(const StartNode&) {
  return "start_node";
}
void put(json& line, const StartNode& request) {
  line["run_dir"] = request.run_dir;
  line["node_rank"] = request.node_rank;
  line["head_node"] = request.head_node;
  put(line, request.head);
  put(line, request.environment);
}
void read(JsonFields& fields, StartNode& request) {
  fields.read("run_dir", request.run_dir);
  fields.read("node_rank", request.node_rank, 0, kMaxNode);
  fields.read("head_node", request.head_node, 0, kMaxNode);
  read(fields, request.head);
  read(fields, request.environment);
}

constexpr const char* name_of(const SendSignal&) {
  return "signal";
}
void put(json& line, const SendSignal& request) {
  line["signal"] = request.signal;
  put(line, request.process);
}
void read(JsonFields& fields, SendSignal& request) {
  fields.read("signal", request.signal, 0, kMaxSignal);
  read(fields, request.process);
}

json to_json(const ProgramFile& file) {
  return {{"name", file.name}, {"sha256", file.sha256}, {"size", file.size}};
}
std::optional<ProgramFile> parse_program_file(const json& object) {
  const auto is_text = [&](const char* name) { return object.contains(name) && object[name].is_string(); };
  if (!object.is_object() || !is_text("name") || !is_text("sha256") || !object.contains("size") ||
      !object["size"].is_number_unsigned())
    return std::nullopt;
  return ProgramFile{object["name"], object["sha256"], object["size"]};
}

constexpr const char* name_of(const ReadyPrograms&) {
  return "ready_programs";
}
void put(json& line, const ReadyPrograms& request) {
  line["files"] = json::array();
  for (const auto& file : request.files) line["files"].push_back(to_json(file));
}
void read(JsonFields& fields, ReadyPrograms& request) {
  fields.read_items("files", parse_program_file, request.files, "is no file of a program");
}

constexpr const char* name_of(const KeepContent&) {
  return "keep_content";
}
void put(json& line, const KeepContent& request) {
  line["sha256"] = request.sha256;
  line["size"] = request.size;
}
void read(JsonFields& fields, KeepContent& request) {
  fields.read("sha256", request.sha256);
  fields.read("size", request.size);
}

constexpr const char* name_of(const WriteRun&) {
  return "write_run";
}
void put(json& line, const WriteRun& request) {
  line["run_id"] = request.run_id;
  line["files"] = request.files;
  line["history"] = request.history;
}
void read(JsonFields& fields, WriteRun& request) {
  fields.read("run_id", request.run_id);
  fields.read("files", request.files);
  fields.read("history", request.history);
}

constexpr const char* name_of(const ReadRun&) {
  return "read_run";
}
void put(json& line, const ReadRun& request) {
  line["run_dir"] = request.run_dir;
  line["have"] = request.have;
}
void read(JsonFields& fields, ReadRun& request) {
  fields.read("run_dir", request.run_dir);
  const json& have = fields.value_of("have");
  const bool good = have.is_object() &&
                    std::ranges::all_of(have, [](const json& size) { return size.is_number_unsigned(); });
  fields.expect(good, "have", "is no object of sizes");
  if (good) request.have = have.get<std::map<std::string, std::uint64_t>>();
}

constexpr const char* name_of(const Greeting&) {
  return "greeting";
}
void put(json& line, const Greeting& answer) {
  line["version"] = answer.version;
  line["host_name"] = answer.host_name;
  line["boot_id"] = answer.boot_id;
  line["folder"] = answer.folder;
  line["folder_id"] = answer.folder_id;
}
void read(JsonFields& fields, Greeting& answer) {
  fields.read("folder_id", answer.folder_id);
  fields.read("folder", answer.folder);
  fields.read("version", answer.version);
  fields.read("host_name", answer.host_name);
  fields.read("boot_id", answer.boot_id);
}

constexpr const char* name_of(const Seen&) {
  return "seen";
}
void put(json& line, const Seen& answer) {
  line["same"] = answer.same;
  line["problem"] = answer.problem;
  line["killed_user"] = answer.killed_user;
}
void read(JsonFields& fields, Seen& answer) {
  fields.read("same", answer.same);
  fields.read("problem", answer.problem);
  fields.read("killed_user", answer.killed_user);
}

constexpr const char* name_of(const HeadStarted&) {
  return "head_started";
}
void put(json& line, const HeadStarted& answer) {
  put(line, answer.process);
  put(line, answer.address);
}
void read(JsonFields& fields, HeadStarted& answer) {
  read(fields, answer.process);
  read(fields, answer.address);
}

constexpr const char* name_of(const NodeStarted&) {
  return "node_started";
}
void put(json& line, const NodeStarted& answer) {
  put(line, answer.process);
}
void read(JsonFields& fields, NodeStarted& answer) {
  read(fields, answer.process);
}

constexpr const char* name_of(const ProcessSeen&) {
  return "process_seen";
}
void put(json& line, const ProcessSeen& answer) {
  line["alive"] = answer.alive;
}
void read(JsonFields& fields, ProcessSeen& answer) {
  fields.read("alive", answer.alive);
}

constexpr const char* name_of(const ProgramsReady&) {
  return "programs_ready";
}
void put(json& line, const ProgramsReady& answer) {
  line["folder"] = answer.folder;
  line["missing"] = answer.missing;
}
void read(JsonFields& fields, ProgramsReady& answer) {
  fields.read("folder", answer.folder);
  fields.read("missing", answer.missing);
}

constexpr const char* name_of(const AgentWanted&) {
  return "agent_wanted";
}
void put(json&, const AgentWanted&) {}
void read(JsonFields&, AgentWanted&) {}

constexpr const char* name_of(const Done&) {
  return "done";
}
void put(json&, const Done&) {}
void read(JsonFields&, Done&) {}

constexpr const char* name_of(const RunWritten&) {
  return "run_written";
}
void put(json& line, const RunWritten& answer) {
  line["run_dir"] = answer.run_dir;
}
void read(JsonFields& fields, RunWritten& answer) {
  fields.read("run_dir", answer.run_dir);
}

constexpr const char* name_of(const RunRecords&) {
  return "run_records";
}
void put(json& line, const RunRecords& answer) {
  line["pieces"] = json::array();
  for (const auto& piece : answer.pieces) line["pieces"].push_back(ddp::to_json(piece));
  line["more"] = answer.more;
}
void read(JsonFields& fields, RunRecords& answer) {
  fields.read_items("pieces", parse_file_piece, answer.pieces, "is no piece of a file");
  fields.read("more", answer.more);
}

constexpr const char* name_of(const Refused&) {
  return "refused";
}
void put(json& line, const Refused& answer) {
  line["why"] = answer.why;
}
void read(JsonFields& fields, Refused& answer) {
  fields.read("why", answer.why);
}

// ---- lines

std::string render_line(const json& line) {
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class Variant>
std::string render(const Variant& message) {
  return std::visit(
      [](const auto& alternative) {
        json line = {{"schema", name_of(alternative)}};
        put(line, alternative);
        return render_line(line);
      },
      message);
}

template <class Message>
Expected<Message> parse_as(const json& line, const char* name) {
  Message message;
  JsonFields fields(line, "line", name);
  read(fields, message);
  if (auto problem = fields.problem(ExitCode::run_failed)) return tl::unexpected(std::move(*problem));
  return message;
}

template <class Variant, std::size_t index = 0>
Expected<Variant> parse_any(const json& line, const std::string& name) {
  if constexpr (index == std::variant_size_v<Variant>) {
    return fail(ExitCode::run_failed, "'" + name + "' is no message of this version");
  } else {
    using Message = std::variant_alternative_t<index, Variant>;
    if (name != name_of(Message{})) return parse_any<Variant, index + 1>(line, name);
    return parse_as<Message>(line, name_of(Message{})).map([](Message message) -> Variant {
      return message;
    });
  }
}

template <class Variant>
Expected<Variant> parse(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  const auto schema = line.is_object() ? line.find("schema") : line.end();
  if (!line.is_object() || schema == line.end() || !schema->is_string())
    return fail(ExitCode::run_failed, "a line is no message");
  return parse_any<Variant>(line, schema->get<std::string>());
}

}  // namespace

std::string render_request(const Request& request) {
  return render(request);
}
std::string render_answer(const Answer& answer) {
  return render(answer);
}
Expected<Request> parse_request(std::string_view line) {
  return parse<Request>(line);
}
Expected<Answer> parse_answer(std::string_view line) {
  return parse<Answer>(line);
}

}  // namespace ddp::remote
