#include <png.h>

#include <csetjmp>
#include <cstring>
#include <stdexcept>
#include <string>

#include "trainer/data/images/image_decoder.hpp"

namespace ddp::trainer {
namespace {

/// libpng leaves by a jump when it fails.
class PngReader {
 public:
  explicit PngReader(std::span<const std::uint8_t> bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, this, take);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  RgbImage read() {
    if (!start()) throw std::runtime_error(message_);
    RgbImage image = make_rgb_image(png_get_image_height(png_, info_), png_get_image_width(png_, info_));
    std::vector<std::uint8_t*> rows(static_cast<std::size_t>(image.height));
    for (std::size_t y = 0; y < rows.size(); ++y)
      rows[y] = image.pixels.data() + y * static_cast<std::size_t>(image.width) * 3;
    if (!read_rows(rows.data())) throw std::runtime_error(message_);
    return image;
  }

 private:
  // libpng's jump must not pass by an object with a destructor: none lives in these two.
  bool start() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    // Texts, profiles and the like: libpng would unpack and keep them, 8 MB each.
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png_, info_);
    png_set_expand(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    png_set_gray_to_rgb(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  bool read_rows(std::uint8_t** rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  [[noreturn]] static void fail(png_structp png, png_const_charp message) {
    auto* reader = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(reader->message_, message, sizeof reader->message_ - 1);
    png_longjmp(png, 1);
  }

  static void ignore(png_structp /*png*/, png_const_charp /*warning*/) {}

  static void take(png_structp png, png_bytep out, std::size_t count) {
    auto& rest = static_cast<PngReader*>(png_get_io_ptr(png))->rest_;
    if (count > rest.size()) png_error(png, "the file ends too early");
    std::memcpy(out, rest.data(), count);
    rest = rest.subspan(count);
  }

  std::span<const std::uint8_t> rest_;
  char message_[256] = "";
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

RgbImage decode_png(std::span<const std::uint8_t> bytes) {
  return PngReader(bytes).read();
}

}  // namespace ddp::trainer
