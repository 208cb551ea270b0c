#include "trainer/data/files/mapped_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace ddp::trainer {

MappedFile::MappedFile(const OpenFile& file) {
  if (file.size() == 0) return;
  void* start = mmap(nullptr, file.size(), PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (start == MAP_FAILED) refuse_file(file.path(), std::strerror(errno));
  bytes_ = {static_cast<const std::uint8_t*>(start), file.size()};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace ddp::trainer
