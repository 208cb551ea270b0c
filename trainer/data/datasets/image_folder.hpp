#pragma once

#include "ddp/trainer/dataset.hpp"

namespace ddp::trainer {

/// Pictures in folders, one a class. Each is read and decoded when it is asked for; one that cannot be is an
/// error that names the file.
[[nodiscard]] std::unique_ptr<Dataset> make_image_folder(const Component& source, Split split,
                                                         std::uint64_t seed);

}  // namespace ddp::trainer
