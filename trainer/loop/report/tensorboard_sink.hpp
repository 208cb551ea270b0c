#pragma once

#include "trainer/loop/report/metrics_sink.hpp"

namespace ddp::trainer {

/// Writes event files for TensorBoard, one of each attempt, into tensorboard/ of the run folder. An attempt
/// that does steps again makes TensorBoard forget what earlier attempts told of them. nullptr: it is not
/// wanted. Throws std::runtime_error when the file cannot be opened.
[[nodiscard]] std::unique_ptr<MetricsSink> open_tensorboard_sink(const SinkPlace& place);

}  // namespace ddp::trainer
