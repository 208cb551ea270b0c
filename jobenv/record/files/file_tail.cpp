#include "jobenv/record/files/file_tail.hpp"

#include <unistd.h>

#include <algorithm>

#include "jobenv/record/files/regular_file.hpp"

namespace ddp {

std::string load_tail(const std::filesystem::path& path, std::size_t bytes) {
  const auto file = open_regular_file(path);
  if (!file) return {};
  const auto size = static_cast<off_t>(file->size);
  std::string text(bytes, '\0');
  const ssize_t count =
      pread(file->descriptor.get(), text.data(), bytes, std::max<off_t>(size - static_cast<off_t>(bytes), 0));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

std::string_view last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(" \n") + 1);  // npos + 1 is 0
  return text.substr(text.rfind('\n') + 1);
}

std::string last_lines(std::string text, std::size_t lines) {
  while (text.ends_with('\n')) text.pop_back();
  auto begin = text.size();  // of the lines that are kept
  while (lines-- > 0 && begin > 0) {
    const auto newline = begin < 2 ? std::string::npos : text.rfind('\n', begin - 2);
    begin = newline == std::string::npos ? 0 : newline + 1;
  }
  return text.substr(begin);
}

}  // namespace ddp
