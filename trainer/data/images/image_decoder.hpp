#pragma once

#include <cstdint>
#include <span>

#include "trainer/data/images/rgb_image.hpp"

namespace ddp::trainer {

/// The picture in a JPEG or PNG file, told apart by its first bytes. As Pillow's `convert("RGB")`: grey
/// becomes three equal channels, an alpha channel is dropped, the orientation that a camera noted is not
/// looked at. Throws std::runtime_error that says what is wrong with the bytes.
[[nodiscard]] RgbImage decode_image(std::span<const std::uint8_t> bytes);

/// Those of one format each, for decode_image.
[[nodiscard]] RgbImage decode_jpeg(std::span<const std::uint8_t> bytes);
[[nodiscard]] RgbImage decode_png(std::span<const std::uint8_t> bytes);

/// Throws std::runtime_error when a picture of `height` x `width` is empty, or more than memory should be
/// taken for: a header may promise anything.
void require_plausible_size(std::uint64_t height, std::uint64_t width);

/// A black picture of `height` x `width`, which is plausible.
[[nodiscard]] RgbImage make_rgb_image(std::uint64_t height, std::uint64_t width);

}  // namespace ddp::trainer
