#include "trainer/data/images/resample.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace ddp::trainer {
namespace {

/// Weights are integers in units of 2^-22, so that the sums are the same everywhere.
constexpr int kWeightBits = 22;

/// What one pixel of the result is made of along an axis.
struct Weights {
  std::int64_t first = 0;  ///< pixel of the source
  std::vector<std::int32_t> weights;
};

/// A part of an axis that was scaled from `from` pixels to `to`.
struct ScaledAxis {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t first = 0;  ///< the part's first pixel, after scaling
  std::int64_t count = 0;
};

double triangle(double x) {
  return std::max(0.0, 1.0 - std::abs(x));
}

Weights weights_of(const ScaledAxis& axis, std::int64_t pixel) {
  const double scale = static_cast<double>(axis.from) / static_cast<double>(axis.to);
  const double reach = std::max(scale, 1.0);  // a smaller picture averages over what falls on one pixel
  const double centre = (static_cast<double>(pixel) + 0.5) * scale;
  const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(centre - reach + 0.5), 0);
  const auto end = std::min(static_cast<std::int64_t>(centre + reach + 0.5), axis.from);
  std::vector<double> exact;
  double sum = 0;
  for (std::int64_t i = first; i < end; ++i) {
    exact.push_back(triangle((static_cast<double>(i) - centre + 0.5) * (1.0 / reach)));
    sum += exact.back();
  }
  Weights weights{first, {}};
  for (const double weight : exact)
    weights.weights.push_back(static_cast<std::int32_t>(0.5 + weight / sum * (1 << kWeightBits)));
  return weights;
}

std::vector<Weights> all_weights(const ScaledAxis& axis) {
  std::vector<Weights> all;
  for (std::int64_t i = 0; i < axis.count; ++i) all.push_back(weights_of(axis, axis.first + i));
  return all;
}

/// The weighted sum of bytes that lie `stride` apart.
std::uint8_t mix(const std::uint8_t* source, std::int64_t stride, std::span<const std::int32_t> weights) {
  std::int32_t sum = 1 << (kWeightBits - 1);
  for (const std::int32_t weight : weights) {
    sum += *source * weight;
    source += stride;
  }
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

/// Rows of a picture.
struct Rows {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// Those that some pixel of the result is made of.
Rows rows_of(const std::vector<Weights>& columns) {
  const Weights& last = columns.back();
  return {columns.front().first, last.first + std::ssize(last.weights)};
}

/// Of three bytes a pixel: each becomes as long as the axis asks.
RgbImage scale_rows(const RgbImage& image, const Rows& rows, const ScaledAxis& axis) {
  const auto weights = all_weights(axis);
  RgbImage scaled{rows.end - rows.first, axis.count, {}};
  scaled.pixels.resize(static_cast<std::size_t>(scaled.height * axis.count * 3));
  std::uint8_t* out = scaled.pixels.data();
  for (std::int64_t y = rows.first; y < rows.end; ++y) {
    const std::uint8_t* row = image.pixels.data() + y * image.width * 3;
    for (const Weights& pixel : weights) {
      for (std::int64_t k = 0; k < 3; ++k) *out++ = mix(row + pixel.first * 3 + k, 3, pixel.weights);
    }
  }
  return scaled;
}

/// `image` begins at row `first_row` of what the weights speak of.
std::vector<std::uint8_t> scale_columns(const RgbImage& image, std::int64_t first_row,
                                        const std::vector<Weights>& weights) {
  std::vector<std::uint8_t> planes(3 * weights.size() * static_cast<std::size_t>(image.width));
  std::uint8_t* out = planes.data();
  for (std::int64_t k = 0; k < 3; ++k) {
    for (const Weights& row : weights) {
      const std::uint8_t* first = image.pixels.data() + (row.first - first_row) * image.width * 3 + k;
      for (std::int64_t x = 0; x < image.width; ++x)
        *out++ = mix(first + x * 3, image.width * 3, row.weights);
    }
  }
  return planes;
}

/// The middle `crop` pixels of the axis; halves are rounded to the even number, as Python does it.
ScaledAxis middle(std::int64_t from, std::int64_t to, std::int64_t crop) {
  return {from, to, std::lrint(static_cast<double>(to - crop) / 2.0), crop};
}

}  // namespace

std::vector<std::uint8_t> resize_and_crop(const RgbImage& image, std::int64_t resize, std::int64_t crop) {
  const auto [shorter, longer] = std::minmax(image.height, image.width);
  const auto longer_after =
      static_cast<std::int64_t>(static_cast<double>(resize * longer) / static_cast<double>(shorter));
  const std::int64_t height = image.height == shorter ? resize : longer_after;
  const std::int64_t width = image.width == shorter ? resize : longer_after;
  const auto columns = all_weights(middle(image.height, height, crop));
  const Rows rows = rows_of(columns);
  return scale_columns(scale_rows(image, rows, middle(image.width, width, crop)), rows.first, columns);
}

}  // namespace ddp::trainer
