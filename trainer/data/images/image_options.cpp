#include "trainer/data/images/image_options.hpp"

namespace ddp::trainer {

std::vector<OptionSchema> with_image_options(std::vector<OptionSchema> own, std::vector<double> mean,
                                             std::vector<double> deviation) {
  own.push_back({.key = "normalize",
                 .default_value = !mean.empty(),
                 .doc = "subtract mean and divide by std, after byte values are divided by 255"});
  own.push_back(
      {.key = "mean", .default_value = std::move(mean), .doc = "mean of each channel, for normalize"});
  own.push_back({.key = "std",
                 .default_value = std::move(deviation),
                 .doc = "standard deviation of each channel, for normalize",
                 .numbers = {.min = 0, .min_bound = Bound::exclusive}});
  own.push_back({.key = "random_crop_padding",
                 .default_value = std::int64_t{0},
                 .doc = "zeros to add on each side of a training image before a random crop to its original "
                        "size, as torchvision's RandomCrop; 0: no crop",
                 .integers = {0, 1024}});
  own.push_back(
      {.key = "horizontal_flip",
       .default_value = false,
       .doc = "flip each training image left to right with probability 0.5, drawn anew each epoch"});
  return own;
}

std::string image_conflict(const Component& source, std::int64_t channels) {
  if (!source.get<bool>("normalize")) return {};
  for (const char* key : {"mean", "std"}) {
    const auto given = std::ssize(source.get<std::vector<double>>(key));
    if (given == channels) continue;
    return std::string("'") + key + "' has " + std::to_string(given) + " numbers, but an image of '" +
           source.name + "' has " + std::to_string(channels) + (channels == 1 ? " channel" : " channels");
  }
  return {};
}

}  // namespace ddp::trainer
