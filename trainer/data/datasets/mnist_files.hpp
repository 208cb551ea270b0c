#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

/// A dataset in the files of MNIST: 28 x 28 grey images of ten classes.
struct MnistFamily {
  std::string_view name;   ///< in a configuration
  std::string_view title;  ///< for people
  std::string_view hint;   ///< how to get it
};

/// The row of that name; throws std::logic_error when there is none.
[[nodiscard]] const MnistFamily& find_mnist_family(std::string_view name);

/// "train-images-idx3-ubyte" in `root`, gzipped or not; nullopt when there is neither.
[[nodiscard]] std::optional<std::filesystem::path> find_mnist_file(const std::filesystem::path& root,
                                                                   const std::string& name);

/// What to say when there is neither.
[[nodiscard]] std::string no_mnist_file(const MnistFamily& family, const std::filesystem::path& root,
                                        const std::string& name);

/// What of the four files is not in the folder that the option root names.
[[nodiscard]] std::optional<MissingData> find_missing_mnist(const Component& source, SplitsRead splits);

}  // namespace ddp::trainer
