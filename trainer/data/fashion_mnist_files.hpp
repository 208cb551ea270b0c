#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ddp::trainer {

inline constexpr const char* kFashionMnistHint =
    "install Debian's package (apt-get install dataset-fashion-mnist), or name the folder that holds the "
    "four "
    "idx files with train.data.root";

/// "train-images-idx3-ubyte" in `root`, gzipped or not; nullopt when there is neither.
[[nodiscard]] std::optional<std::filesystem::path> find_fashion_mnist_file(const std::filesystem::path& root,
                                                                           const std::string& name);

/// What to say when there is neither.
[[nodiscard]] std::string no_fashion_mnist_file(const std::filesystem::path& root, const std::string& name);

}  // namespace ddp::trainer
