#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ddp::tensorboard {

/// Records of an event file, which TensorBoard reads. An event file is a sequence of records, the first one
/// render_version. Times are seconds since 1970.
///
/// The format is that of TensorFlow: records as its TFRecord files (record_writer.h), events as in
/// event.proto and summary.proto, hyperparameters as in api.proto and plugin_data.proto of TensorBoard's
/// hparams plugin.

struct Scalar {
  std::string tag;
  double value = 0;
};

[[nodiscard]] std::string render_version(double time);

/// A training begins with `step`: TensorBoard forgets what earlier records of the same folder say of this
/// step and later ones.
[[nodiscard]] std::string render_restart(double time, std::int64_t step);

/// The values are stored in single precision.
[[nodiscard]] std::string render_scalars(double time, std::int64_t step, std::span<const Scalar> scalars);

using HyperparameterValue = std::variant<double, bool, std::string>;

struct Hyperparameter {
  std::string name;
  HyperparameterValue value;
};

/// What the HParams tab shows of a sweep. `hyperparameters`: one of each name, for its type. `metrics`: tags
/// of scalars.
[[nodiscard]] std::string render_experiment(double time, std::string_view name,
                                            std::span<const Hyperparameter> hyperparameters,
                                            std::span<const std::string> metrics);

/// The values of one point, in its own folder. `group` is the name of its row.
[[nodiscard]] std::string render_session_start(double time, std::string_view group,
                                               std::span<const Hyperparameter> hyperparameters);

enum class SessionEnd { success = 1, failure = 2, running = 3 };
[[nodiscard]] std::string render_session_end(double time, SessionEnd end);

}  // namespace ddp::tensorboard
