#include "jobenv/remote/remote_messages.hpp"

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
  put(line, request.head);
  put(line, request.environment);
}
void read(JsonFields& fields, StartNode& request) {
  fields.read("run_dir", request.run_dir);
  fields.read("node_rank", request.node_rank, 0, kMaxNode);
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

constexpr const char* name_of(const Greeting&) {
  return "greeting";
}
void put(json& line, const Greeting& answer) {
  line["version"] = answer.version;
  line["host_name"] = answer.host_name;
  line["boot_id"] = answer.boot_id;
}
void read(JsonFields& fields, Greeting& answer) {
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
