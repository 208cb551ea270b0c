#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobenv/config/fields.hpp"
#include "trainer/config/train_config.hpp"

namespace ddp::trainer {

/// One option of a component. The alternative that `default_value` holds is its type.
struct OptionSchema {
  std::string_view key;
  OptionValue default_value;
  std::string_view doc;
  IntegerRange integers = {};  ///< of an integer, or of each item of a list of integers
  NumberRange numbers = {};
  std::vector<std::string_view> words = {};  ///< of a text: the accepted values; empty: any
  enum class Text { plain, path } text = Text::plain;
};

/// What a dataset's samples look like, when its options are known: checked against the model.
struct SampleShape {
  std::vector<std::int64_t> dims;  ///< without the batch
  std::int64_t classes = 0;
};

/// Which splits of a dataset a run reads.
enum class SplitsRead { train, test, both };

/// Files of a dataset that are not on this machine.
struct MissingData {
  std::string_view option;  ///< that names their place
  std::string message;
  std::string hint;
};

/// What a model, dataset or optimizer can be told. Free of LibTorch; stands beside the component's factory.
struct ComponentSchema {
  std::string_view name;
  std::string_view doc;
  std::vector<OptionSchema> options;

  /// Which of its own options contradict each other; empty when none do.
  std::string (*conflict)(const Component&) = nullptr;
  /// Datasets: the shape of a sample under these options.
  SampleShape (*sample_shape)(const Component&) = nullptr;
  /// Datasets of files: what of them is not on this machine. Looks for the files, opens none.
  std::optional<MissingData> (*missing)(const Component&, SplitsRead) = nullptr;
  /// Models: why they cannot take these samples; empty when they can.
  std::string (*mismatch)(const Component&, const SampleShape&) = nullptr;
};

/// The tables: one row each.
[[nodiscard]] std::span<const ComponentSchema> model_schemas();
[[nodiscard]] std::span<const ComponentSchema> dataset_schemas();
[[nodiscard]] std::span<const ComponentSchema> optimizer_schemas();

/// The row of that name, or nullptr.
[[nodiscard]] const ComponentSchema* find_schema(std::span<const ComponentSchema> schemas,
                                                 std::string_view name);

}  // namespace ddp::trainer
