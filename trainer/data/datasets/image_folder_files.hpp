#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ddp/trainer/component.hpp"

namespace ddp::trainer {

/// The folder of a split in `root`: train, and for the test images test or, if there is none, val. nullopt
/// when there is no such folder.
[[nodiscard]] std::optional<std::filesystem::path> find_image_split(const std::filesystem::path& root,
                                                                    SplitsRead split);

/// What to say then.
[[nodiscard]] std::string no_image_split(const std::filesystem::path& root, SplitsRead split);

/// The names of the classes in the folder of a split, sorted: those of its folders. Empty when it cannot be
/// read.
[[nodiscard]] std::vector<std::string> list_image_classes(const std::filesystem::path& split);

/// The JPEG and PNG files of one class, by their extension and in any depth, in the order of torchvision's
/// ImageFolder. Throws std::runtime_error that names the first picture of another kind, or link to nothing,
/// and std::filesystem::filesystem_error when the folder cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> list_images(const std::filesystem::path& class_folder);

}  // namespace ddp::trainer
