#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>

#include <jpeglib.h>  // after cstdio

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/trainer/component.hpp"
#include "trainer/data/datasets/datasets.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::path;
using testing::HasSubstr;

/// [height, width, 3] bytes into a PNG file.
void write_png(const path& file, const torch::Tensor& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.height = static_cast<png_uint_32>(pixels.size(0));
  image.width = static_cast<png_uint_32>(pixels.size(1));
  image.format = PNG_FORMAT_RGB;
  ASSERT_TRUE(png_image_write_to_file(&image, file.c_str(), 0, pixels.const_data_ptr(), 0, nullptr));
}

/// A grey JPEG file.
void write_jpeg(const path& file, std::uint8_t level, JDIMENSION side) {
  jpeg_compress_struct info{};
  jpeg_error_mgr manager{};
  info.err = jpeg_std_error(&manager);
  jpeg_create_compress(&info);
  std::FILE* out = std::fopen(file.c_str(), "wb");
  jpeg_stdio_dest(&info, out);
  info.image_width = info.image_height = side;
  info.input_components = 1;
  info.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&info);
  jpeg_start_compress(&info, TRUE);
  std::vector<std::uint8_t> line(side, level);
  std::uint8_t* row = line.data();
  while (info.next_scanline < side) jpeg_write_scanlines(&info, &row, 1);
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::fclose(out);
}

class ImageFolderTest : public testing::Test {
 protected:
  [[nodiscard]] path make(const path& file) const {
    std::filesystem::create_directories((folder_ / file).parent_path());
    return folder_ / file;
  }
  /// A picture of one colour, named by its first channel.
  void paint(const path& file, int red) const {
    write_png(make(file), at::tensor({red, 20, 30}, torch::kUInt8).expand({8, 8, 3}).contiguous());
  }

  [[nodiscard]] Component source(std::int64_t resize = 8, std::int64_t size = 8) const {
    return make_component(
        bundled_schemas().datasets, "image_folder",
        {{"root", folder_.path().string()}, {"resize", resize}, {"image_size", size}, {"normalize", false}});
  }

  static std::string error(const Component& source, Split split) {
    try {
      const auto data = make_dataset(source, split, 0);
      for (std::int64_t i = 0; i < data->size(); ++i) (void)data->gather({&i, 1}, 0);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(ImageFolderTest, OrdersClassesAndFilesByTheirBytes) {
  const char* const files[] = {"train/B/x.png",      "train/B/y.PNG",   "train/a/2.png",
                               "train/a/deep/1.png", "train/a-b/0.png", "train/\xC3\xA9t\xC3\xA9/1.png"};
  for (int i = 5; i >= 0; --i) paint(files[i], i);
  std::ofstream(make("train/a/notes.txt")) << "not a picture";
  std::ofstream(make("train/list.png")) << "in no class";
  const auto data = make_dataset(source(), Split::train, 0);
  ASSERT_EQ(data->size(), 6);
  EXPECT_EQ(data->sample_shape().classes, 4);
  const std::vector<std::int64_t> all = {0, 1, 2, 3, 4, 5};
  const Batch batch = data->gather(all, 0);
  EXPECT_TRUE(batch.targets.equal(at::tensor({0, 0, 1, 1, 2, 3}, at::kLong)));
  EXPECT_TRUE(
      batch.inputs.select(1, 0).select(1, 0).select(1, 0).equal(at::arange(6, torch::kFloat32).div(255)));
  const auto schema = find_schema(bundled_schemas().datasets, "image_folder");
  EXPECT_EQ(schema->sample_shape(source())->classes, 4);
  EXPECT_EQ(schema->sample_shape(source())->dims, (std::vector<std::int64_t>{3, 8, 8}));
}

TEST_F(ImageFolderTest, GivesThePixelsChannelByChannel) {
  const auto pixels = at::randint(256, {5, 9, 3}, torch::kUInt8);
  write_png(make("train/c/p.png"), pixels);
  const std::int64_t first = 0;
  const Batch batch = make_dataset(source(5, 5), Split::train, 0)->gather({&first, 1}, 0);
  EXPECT_TRUE(batch.inputs[0].equal(pixels.narrow(1, 2, 5).permute({2, 0, 1}).to(torch::kFloat32).div(255)));
}

TEST_F(ImageFolderTest, ReadsGreyJpegs) {
  write_jpeg(make("train/c/p.jpg"), 100, 30);
  const std::int64_t first = 0;
  const Batch batch = make_dataset(source(20, 10), Split::train, 0)->gather({&first, 1}, 0);
  EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{1, 3, 10, 10}));
  EXPECT_TRUE(batch.inputs.mul(255).round().eq(100).all().item<bool>());
}

TEST_F(ImageFolderTest, NamesAFileThatIsDamagedWhereverItEnds) {
  paint("train/c/p.png", 1);
  write_jpeg(make("train/c/q.jpg"), 100, 30);
  for (const char* name : {"train/c/p.png", "train/c/q.jpg"}) {
    const auto size = std::filesystem::file_size(folder_ / name);
    std::ifstream in(folder_ / name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    for (std::size_t kept = 0; kept + 4 < size; kept += size / 40 + 1) {
      std::ofstream(folder_ / name, std::ios::binary) << bytes.substr(0, kept);
      EXPECT_THAT(error(source(), Split::train), HasSubstr(folder_ / name)) << kept;
    }
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::ofstream(folder_ / "train/c/r.png") << "GIF89a";
  EXPECT_THAT(error(source(), Split::train), HasSubstr("r.png': it is neither a JPEG nor a PNG file"));
}

TEST_F(ImageFolderTest, NamesThePictureThatItWouldMiss) {
  paint("train/a/m.png", 1);
  EXPECT_EQ(error(source(), Split::train), "");
  for (const char* name : {"z.webp", "y.PPM", "x.bmp", "w.pgm", "v.tif", "c/u.tiff"}) {
    std::ofstream(make(path("train/a") / name)) << "a picture";
    EXPECT_THAT(error(source(), Split::train), HasSubstr(folder_.path() / "train/a" / name));
  }
  std::filesystem::create_symlink("nowhere", make("train/a/b.txt"));
  EXPECT_THAT(error(source(), Split::train), HasSubstr("train/a/b.txt': it is a broken link"));
  mkfifo((folder_ / "train/a/a.png").c_str(), 0600);
  EXPECT_THAT(error(source(), Split::train), HasSubstr("train/a/a.png': it is not a regular file"));
}

TEST_F(ImageFolderTest, TestsOnTheClassesThatItTrainsOn) {
  paint("train/a/1.png", 1);
  EXPECT_THAT(error(source(), Split::test), HasSubstr("there is no folder test or val in"));
  paint("val/a/1.png", 1);
  EXPECT_EQ(make_dataset(source(), Split::test, 0)->size(), 1);
  paint("test/b/1.png", 1);
  EXPECT_THAT(error(source(), Split::test), HasSubstr("has different classes than"));
  std::filesystem::create_directory(folder_ / "train/b");
  EXPECT_THAT(error(source(), Split::train), HasSubstr("no JPEG or PNG file in"));
}

TEST_F(ImageFolderTest, SaysBeforeWhatIsMissingOrContradictsItself) {
  const auto* schema = find_schema(bundled_schemas().datasets, "image_folder");
  EXPECT_THAT(schema->missing(source(), SplitsRead::train)->message,
              HasSubstr("there is no folder train in"));
  EXPECT_EQ(schema->sample_shape(source())->classes, 0);
  paint("train/a/1.png", 1);
  EXPECT_FALSE(schema->missing(source(), SplitsRead::train));
  EXPECT_THAT(schema->missing(source(), SplitsRead::both)->message, HasSubstr("no folder test"));
  EXPECT_THAT(schema->conflict(source(7, 8)), HasSubstr("no square of 8 pixels"));
  EXPECT_EQ(schema->conflict(source()), "");
}

}  // namespace
}  // namespace ddp::trainer
