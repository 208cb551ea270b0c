#pragma once

#include <string>
#include <vector>

#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

/// `own`, and the options that all datasets of images have. `mean` and `deviation` are the defaults, one for
/// each channel; without any, images are not normalised by default.
[[nodiscard]] std::vector<OptionSchema> with_image_options(std::vector<OptionSchema> own,
                                                           std::vector<double> mean,
                                                           std::vector<double> deviation);

/// Which of those do not fit an image of so many channels; empty when they do.
[[nodiscard]] std::string image_conflict(const Component& source, std::int64_t channels);

}  // namespace ddp::trainer
