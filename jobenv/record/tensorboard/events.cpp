#include "jobenv/record/tensorboard/events.hpp"

#include <bit>

#include "jobenv/record/files/crc32c.hpp"
#include "jobenv/record/tensorboard/protobuf_message.hpp"

namespace ddp::tensorboard {
namespace {

constexpr std::string_view kVersion = "brain.Event:2";
constexpr std::string_view kHparams = "hparams";  // the plugin

/// The numbers of the fields.
namespace event {
constexpr unsigned kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace session_log {
constexpr unsigned kStatus = 1;
constexpr std::uint64_t kStart = 1;
}  // namespace session_log
namespace summary {
constexpr unsigned kValue = 1;
constexpr unsigned kTag = 1, kSimpleValue = 2, kMetadata = 9;  // of a value
constexpr unsigned kPluginData = 1;                            // of metadata
constexpr unsigned kPluginName = 1, kContent = 2;              // of the data of a plugin
}  // namespace summary
namespace hparams {
constexpr unsigned kExperiment = 2, kSessionStart = 3, kSessionEnd = 4;  // of the data of the plugin
constexpr unsigned kCreated = 3, kHparamInfos = 4, kMetricInfos = 5, kExperimentName = 6;
constexpr unsigned kInfoName = 1, kInfoType = 4;
constexpr unsigned kMetricName = 1, kMetricTag = 2;
constexpr unsigned kValues = 1, kGroupName = 4, kStartTime = 5;
constexpr unsigned kStatus = 1, kEndTime = 2;
}  // namespace hparams
namespace map_entry {
constexpr unsigned kKey = 1, kValue = 2;
}
namespace value {
constexpr unsigned kNumber = 2, kText = 3, kFlag = 4;
}

std::uint32_t masked_sum(std::string_view bytes) {
  const std::uint32_t sum = crc32c(std::as_bytes(std::span(bytes)));
  return std::rotr(sum, 15) + 0xA282EAD8U;
}

template <std::unsigned_integral Number>
std::string little_endian(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
  return bytes;
}

/// Length, its checksum, the bytes, their checksum.
std::string render_record(const ProtobufMessage& message) {
  const std::string& bytes = message.bytes();
  const std::string length = little_endian(static_cast<std::uint64_t>(bytes.size()));
  return length + little_endian(masked_sum(length)) + bytes + little_endian(masked_sum(bytes));
}

/// A number of 0 is left out, as in proto3.
ProtobufMessage begin_event(double time, std::int64_t step) {
  ProtobufMessage message;
  if (time != 0) message.number(event::kWallTime, time);
  if (step != 0) message.integer(event::kStep, static_cast<std::uint64_t>(step));
  return message;
}

std::string render_summary(double time, std::int64_t step, const ProtobufMessage& values) {
  return render_record(begin_event(time, step).message(event::kSummary, values));
}

std::string render_hparams(double time, std::string_view tag, unsigned kind, const ProtobufMessage& data) {
  const auto plugin = ProtobufMessage()
                          .text(summary::kPluginName, kHparams)
                          .text(summary::kContent, ProtobufMessage().message(kind, data).bytes());
  const auto metadata = ProtobufMessage().message(summary::kPluginData, plugin);
  const auto value = ProtobufMessage().text(summary::kTag, tag).message(summary::kMetadata, metadata);
  return render_summary(time, 0, ProtobufMessage().message(summary::kValue, value));
}

/// DataType of the plugin, by the index of the variant.
std::uint64_t type_of(const HyperparameterValue& value) {
  constexpr std::uint64_t kText = 1, kFlag = 2, kNumber = 3;
  constexpr std::uint64_t kTypes[] = {kNumber, kFlag, kText};
  return kTypes[value.index()];
}

ProtobufMessage message_of(const HyperparameterValue& held) {
  ProtobufMessage message;
  if (const auto* number = std::get_if<double>(&held)) message.number(value::kNumber, *number);
  if (const auto* flag = std::get_if<bool>(&held)) message.integer(value::kFlag, *flag ? 1 : 0);
  if (const auto* text = std::get_if<std::string>(&held)) message.text(value::kText, *text);
  return message;
}

}  // namespace

std::string render_version(double time) {
  return render_record(begin_event(time, 0).text(event::kFileVersion, kVersion));
}

std::string render_restart(double time, std::int64_t step) {
  const auto start = ProtobufMessage().integer(session_log::kStatus, session_log::kStart);
  return render_record(begin_event(time, step).message(event::kSessionLog, start));
}

std::string render_scalars(double time, std::int64_t step, std::span<const Scalar> scalars) {
  ProtobufMessage values;
  for (const auto& scalar : scalars) {
    values.message(summary::kValue,
                   ProtobufMessage()
                       .text(summary::kTag, scalar.tag)
                       .single_precision(summary::kSimpleValue, static_cast<float>(scalar.value)));
  }
  return render_summary(time, step, values);
}

std::string render_experiment(double time, std::string_view name,
                              std::span<const Hyperparameter> hyperparameters,
                              std::span<const std::string> metrics) {
  ProtobufMessage experiment;
  experiment.number(hparams::kCreated, time);
  for (const auto& hyperparameter : hyperparameters) {
    experiment.message(hparams::kHparamInfos,
                       ProtobufMessage()
                           .text(hparams::kInfoName, hyperparameter.name)
                           .integer(hparams::kInfoType, type_of(hyperparameter.value)));
  }
  for (const auto& tag : metrics) {
    const auto metric = ProtobufMessage().text(hparams::kMetricTag, tag);
    experiment.message(hparams::kMetricInfos, ProtobufMessage().message(hparams::kMetricName, metric));
  }
  experiment.text(hparams::kExperimentName, name);
  return render_hparams(time, "_hparams_/experiment", hparams::kExperiment, experiment);
}

std::string render_session_start(double time, std::string_view group,
                                 std::span<const Hyperparameter> hyperparameters) {
  ProtobufMessage session;
  for (const auto& hyperparameter : hyperparameters) {
    session.message(hparams::kValues, ProtobufMessage()
                                          .text(map_entry::kKey, hyperparameter.name)
                                          .message(map_entry::kValue, message_of(hyperparameter.value)));
  }
  session.text(hparams::kGroupName, group).number(hparams::kStartTime, time);
  return render_hparams(time, "_hparams_/session_start_info", hparams::kSessionStart, session);
}

std::string render_session_end(double time, SessionEnd end) {
  const auto session = ProtobufMessage()
                           .integer(hparams::kStatus, static_cast<std::uint64_t>(end))
                           .number(hparams::kEndTime, time);
  return render_hparams(time, "_hparams_/session_end_info", hparams::kSessionEnd, session);
}

}  // namespace ddp::tensorboard
