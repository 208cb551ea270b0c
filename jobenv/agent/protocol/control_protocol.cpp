#include "jobenv/agent/protocol/control_protocol.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "ddp/jobenv/host_list.hpp"
#include "jobenv/record/json_fields.hpp"
#include "jobenv/record/timestamp.hpp"

namespace ddp::agent {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr int kMaxPort = 65535;
constexpr int kMaxSignal = 64;
constexpr int kMaxRank = 1 << 20;
constexpr std::uint64_t kMaxMilliseconds = std::uint64_t{1} << 40;

// ---- head to agent

json to_json(const Welcome&) {
  return {{"schema", "welcome"}};
}
json to_json(const SetUpNode&) {
  return {{"schema", "set_up"}};
}
json to_json(const BindStore& message) {
  return {{"schema", "bind_store"}, {"address", message.address}};
}
json to_json(const StartAttempt& message) {
  return {{"schema", "start"},
          {"attempt", message.attempt},
          {"nonce", message.nonce},
          {"master_address", message.master_address},
          {"master_port", message.master_port},
          {"hosts", HostList(message.hosts).compress()},
          {"planned_nodes", message.planned_nodes},
          {"interface", message.interface},
          {"deadline", message.deadline ? json(render_time(*message.deadline)) : json()}};
}
json to_json(const StopRanks& message) {
  return {{"schema", "stop"}, {"signal", message.signal}};
}
json to_json(const KillRanks&) {
  return {{"schema", "kill"}};
}
json to_json(const PieceTaken&) {
  return {{"schema", "piece_taken"}};
}
json to_json(const Ping&) {
  return {{"schema", "ping"}};
}
json to_json(const End&) {
  return {{"schema", "end"}};
}

// ---- agent to head

json to_json(const Hello& message) {
  json ranks = json::array();
  for (const RankPlace& place : message.ranks)
    ranks.push_back({place.rank, place.local_rank, place.node_rank});
  return {{"schema", "hello"}, {"host", message.host}, {"interface", message.interface}, {"ranks", ranks}};
}
json to_json(const NodeSetUp&) {
  return {{"schema", "is_set_up"}};
}
json to_json(const StoreBound& message) {
  return {{"schema", "store_bound"}, {"port", message.port}};
}
json to_json(const RankStarted& message) {
  return {{"schema", "started"}, {"rank", message.rank}, {"pid", message.pid}};
}
json to_json(const RankExited& message) {
  return {{"schema", "exited"},
          {"record", ddp::to_json(message.record)},
          {"what", message.what},
          {"recurrence", name_of(message.recurrence)}};
}
json to_json(const RankStalled& message) {
  return {{"schema", "stalled"},
          {"rank", message.rank},
          {"phase", ddp::name_of(message.phase)},
          {"last_step", message.last_step ? json(*message.last_step) : json()},
          {"silent_milliseconds", message.silent.count()},
          {"longest_milliseconds", message.longest.count()},
          {"process", name_of(message.process)},
          {"waits_for_peers", message.waits_for_peers},
          {"since", render_time(message.since)}};
}
json to_json(const RankAdvances& message) {
  return {{"schema", "advances"}, {"rank", message.rank}};
}
json to_json(const Drained&) {
  return {{"schema", "drained"}};
}
json to_json(const AgentFailed& message) {
  return {{"schema", "failed"},
          {"what", message.what},
          {"output_tail", message.output_tail},
          {"recurrence", name_of(message.recurrence)}};
}
json to_json(const Signalled& message) {
  return {{"schema", "signalled"}, {"signal", message.signal}};
}
json to_json(const RecordPiece& message) {
  return {{"schema", "piece"}, {"piece", ddp::to_json(message.piece)}};
}
json to_json(const Pong&) {
  return {{"schema", "pong"}};
}

template <class Message>
std::string render(const Message& message) {
  return to_json(message).dump(-1, ' ', false, json::error_handler_t::replace);
}

// ---- back

template <class Any, class Message>
Expected<Any> checked(JsonFields& fields, const Message& message) {
  if (auto problem = fields.problem(ExitCode::run_failed)) return tl::unexpected(std::move(*problem));
  return message;
}

Expected<HeadMessage> parse_bind_store(JsonFields& fields) {
  BindStore message;
  fields.read("address", message.address);
  return checked<HeadMessage>(fields, message);
}

Expected<HeadMessage> parse_start(JsonFields& fields) {
  StartAttempt message;
  std::string hosts;
  fields.read("attempt", message.attempt, 0);
  fields.read("nonce", message.nonce);
  fields.read("master_address", message.master_address);
  fields.read("master_port", message.master_port, 1, kMaxPort);
  fields.read("hosts", hosts);
  fields.read("planned_nodes", message.planned_nodes);
  fields.read("interface", message.interface);
  fields.read("deadline", message.deadline);
  const auto list = HostList::parse(hosts);
  fields.expect(list.has_value(), "hosts", "is no host list");
  if (list) message.hosts = list->hosts();
  fields.expect(message.planned_nodes.size() == message.hosts.size(), "planned_nodes",
                "is not as long as hosts");
  return checked<HeadMessage>(fields, message);
}

Expected<HeadMessage> parse_stop(JsonFields& fields) {
  StopRanks message;
  fields.read("signal", message.signal, 1, kMaxSignal);
  return checked<HeadMessage>(fields, message);
}

std::optional<RankPlace> parse_place(const json& row) {
  const auto is_number = [](const json& value) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{kMaxRank};
  };
  if (!row.is_array() || row.size() != 3 || !std::ranges::all_of(row, is_number)) return std::nullopt;
  return RankPlace{row[0].get<int>(), row[1].get<int>(), row[2].get<int>()};
}

Expected<AgentMessage> parse_hello(JsonFields& fields) {
  Hello message;
  fields.read("host", message.host);
  fields.read("interface", message.interface);
  fields.read_items("ranks", parse_place, message.ranks, "is not a row of rank, local rank and node rank");
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_store_bound(JsonFields& fields) {
  StoreBound message;
  fields.read("port", message.port, 1, kMaxPort);
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_started(JsonFields& fields) {
  RankStarted message;
  fields.read("rank", message.rank, 0);
  fields.read("pid", message.pid, 1);
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_exited(JsonFields& fields) {
  RankExited message;
  auto record = parse_exit_record(fields.value_of("record"));
  fields.expect(record.has_value(), "record", record ? "" : "is not valid: " + record.error().message);
  fields.read("what", message.what);
  fields.read("recurrence", message.recurrence, {Recurrence::possible, Recurrence::certain});
  if (record) message.record = std::move(*record);
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_stalled(JsonFields& fields) {
  RankStalled message;
  std::uint64_t silent = 0;
  std::uint64_t longest = 0;
  fields.read("rank", message.rank, 0);
  fields.read("phase", message.phase,
              {Phase::start, Phase::step, Phase::checkpoint, Phase::evaluate, Phase::done});
  fields.read("last_step", message.last_step);
  fields.read("silent_milliseconds", silent);
  fields.read("longest_milliseconds", longest);
  fields.read("process", message.process,
              {ProcessState::running, ProcessState::sleeping, ProcessState::in_kernel, ProcessState::stopped,
               ProcessState::traced, ProcessState::unknown});
  fields.read("waits_for_peers", message.waits_for_peers);
  fields.read("since", message.since);
  message.silent = milliseconds(std::min(silent, kMaxMilliseconds));
  message.longest = milliseconds(std::min(longest, kMaxMilliseconds));
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_advances(JsonFields& fields) {
  RankAdvances message;
  fields.read("rank", message.rank, 0);
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_failed(JsonFields& fields) {
  AgentFailed message;
  fields.read("what", message.what);
  fields.read("output_tail", message.output_tail);
  fields.read("recurrence", message.recurrence, {Recurrence::possible, Recurrence::certain});
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_signalled(JsonFields& fields) {
  Signalled message;
  fields.read("signal", message.signal, 1, kMaxSignal);
  return checked<AgentMessage>(fields, message);
}

Expected<AgentMessage> parse_piece(JsonFields& fields) {
  RecordPiece message;
  auto parsed = parse_file_piece(fields.value_of("piece"));
  fields.expect(parsed.has_value(), "piece", "is no piece of a file");
  if (parsed) message.piece = std::move(*parsed);
  return checked<AgentMessage>(fields, message);
}

template <class Any, class Message>
Expected<Any> parse_plain(JsonFields& fields) {
  return checked<Any>(fields, Message{});
}

template <class Any>
using Table = std::map<std::string, Expected<Any> (*)(JsonFields&), std::less<>>;

template <class Any>
Expected<Any> parse_line(std::string_view line, const Table<Any>& table) {
  const json object = json::parse(line, nullptr, false);
  const auto schema = object.is_object() ? object.find("schema") : object.end();
  const bool named = object.is_object() && schema != object.end() && schema->is_string();
  const auto row = named ? table.find(schema->get_ref<const std::string&>()) : table.end();
  if (row == table.end())
    return fail(ExitCode::run_failed, "a control message that this program does not know");
  JsonFields fields(object, "control message '" + row->first + "'", row->first);
  return row->second(fields);
}

}  // namespace

std::string render_message(const HeadMessage& message) {
  return std::visit([](const auto& alternative) { return render(alternative); }, message);
}

std::string render_message(const AgentMessage& message) {
  return std::visit([](const auto& alternative) { return render(alternative); }, message);
}

Expected<HeadMessage> parse_head_message(std::string_view line) {
  static const Table<HeadMessage> kTable = {{"welcome", parse_plain<HeadMessage, Welcome>},
                                            {"set_up", parse_plain<HeadMessage, SetUpNode>},
                                            {"bind_store", parse_bind_store},
                                            {"start", parse_start},
                                            {"stop", parse_stop},
                                            {"kill", parse_plain<HeadMessage, KillRanks>},
                                            {"piece_taken", parse_plain<HeadMessage, PieceTaken>},
                                            {"ping", parse_plain<HeadMessage, Ping>},
                                            {"end", parse_plain<HeadMessage, End>}};
  return parse_line(line, kTable);
}

Expected<AgentMessage> parse_agent_message(std::string_view line) {
  static const Table<AgentMessage> kTable = {{"hello", parse_hello},
                                             {"is_set_up", parse_plain<AgentMessage, NodeSetUp>},
                                             {"store_bound", parse_store_bound},
                                             {"started", parse_started},
                                             {"exited", parse_exited},
                                             {"stalled", parse_stalled},
                                             {"advances", parse_advances},
                                             {"drained", parse_plain<AgentMessage, Drained>},
                                             {"failed", parse_failed},
                                             {"signalled", parse_signalled},
                                             {"piece", parse_piece},
                                             {"pong", parse_plain<AgentMessage, Pong>}};
  return parse_line(line, kTable);
}

}  // namespace ddp::agent
