// A file in the IDX format, in gzip or not: its pixels are as many as its header says.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>

#include "jobenv/record/files/file_descriptor.hpp"
#include "trainer/data/files/idx_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ddp::FileDescriptor file(memfd_create("idx", MFD_CLOEXEC));
  if (write(file.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  try {
    const auto array = ddp::trainer::load_idx("/proc/self/fd/" + std::to_string(file.get()));
    const auto count = std::accumulate(array.shape.begin(), array.shape.end(), std::uint64_t{1},
                                       [](std::uint64_t product, std::int64_t dimension) {
                                         return product * static_cast<std::uint64_t>(dimension);
                                       });
    if (array.bytes.size() != count) std::abort();
  } catch (const std::runtime_error&) {
  }
  return 0;
}
