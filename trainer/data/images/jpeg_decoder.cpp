#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <jpeglib.h>  // after cstdio, whose FILE it uses

#include <jerror.h>

#include "trainer/data/images/image_decoder.hpp"

namespace ddp::trainer {
namespace {

/// libjpeg leaves by a jump when it fails; what it says stays here. `manager` is first: libjpeg hands back a
/// pointer to it.
struct JpegFailure {
  jpeg_error_mgr manager{};
  std::jmp_buf before{};
  char message[JMSG_LENGTH_MAX] = "";
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* failure = reinterpret_cast<JpegFailure*>(info->err);
  info->err->format_message(info, failure->message);
  std::longjmp(failure->before, 1);
}

/// A file that ends too early is an error; other oddities are decoded as well as they can be.
void hear(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) fail(info);
}

class JpegReader {
 public:
  explicit JpegReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
    info_.err = jpeg_std_error(&failure_.manager);
    failure_.manager.error_exit = fail;
    failure_.manager.emit_message = hear;
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&info_); }

  RgbImage read() {
    if (!read_header()) throw std::runtime_error(failure_.message);
    require_plausible_size(info_.image_height, info_.image_width);  // before libjpeg takes memory for it
    if (!start()) throw std::runtime_error(failure_.message);
    RgbImage image = make_rgb_image(info_.output_height, info_.output_width);
    const std::size_t row_size =
        std::size_t{info_.output_width} * static_cast<std::size_t>(info_.output_components);
    std::vector<std::uint8_t> inks(row_size);
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* row = image.pixels.data() + std::size_t{info_.output_scanline} * info_.output_width * 3;
      const bool is_rgb = info_.out_color_space == JCS_RGB;
      if (!read_row(is_rgb ? row : inks.data())) throw std::runtime_error(failure_.message);
      if (!is_rgb) mix_inks(inks, row);
    }
    return image;
  }

 private:
  // libjpeg's jump must not pass by an object with a destructor: none lives in these three.
  bool read_header() {
    if (setjmp(failure_.before) != 0) return false;
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, bytes_.data(), bytes_.size());
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  bool start() {
    if (setjmp(failure_.before) != 0) return false;
    const bool has_inks = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
    info_.out_color_space = has_inks ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&info_);
    return true;
  }

  bool read_row(std::uint8_t* row) {
    if (setjmp(failure_.before) != 0) return false;
    jpeg_read_scanlines(&info_, &row, 1);
    return true;
  }

  /// Of cyan, magenta, yellow and black, stored as what is left of the light, as all programs do it.
  static void mix_inks(std::span<const std::uint8_t> inks, std::uint8_t* rgb) {
    for (; !inks.empty(); inks = inks.subspan(4)) {
      for (std::size_t k = 0; k < 3; ++k) {
        const unsigned product = (255U - inks[k]) * inks[3] + 128U;
        const auto taken = static_cast<int>(((product >> 8) + product) >> 8);
        *rgb++ = static_cast<std::uint8_t>(std::max(0, inks[3] - taken));
      }
    }
  }

  std::span<const std::uint8_t> bytes_;
  JpegFailure failure_;
  jpeg_decompress_struct info_{};
};

}  // namespace

RgbImage decode_jpeg(std::span<const std::uint8_t> bytes) {
  return JpegReader(bytes).read();
}

}  // namespace ddp::trainer
