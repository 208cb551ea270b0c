#include "cli/store/state/confirmed_successes.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/file_descriptor.hpp"

namespace ddp::cli {
namespace {

std::string line_of(const RunFolder& folder, int attempt) {
  return std::to_string(attempt) + ' ' + folder.root().string();
}

}  // namespace

ConfirmedSuccesses::ConfirmedSuccesses(std::filesystem::path file) : file_(std::move(file)) {
  const auto text = load_file(file_).value_or("");
  std::size_t begin = 0;
  // A line without an end is being written.
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    lines_.insert(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

bool ConfirmedSuccesses::holds(const RunFolder& folder, int attempt) const {
  return lines_.contains(line_of(folder, attempt));
}

void ConfirmedSuccesses::add(const RunFolder& folder, int attempt) {
  auto line = line_of(folder, attempt);
  if (file_.empty() || line.find('\n') != line.npos) return;
  if (lines_.insert(line).second) added_.push_back(std::move(line));
}

void ConfirmedSuccesses::save() {
  if (added_.empty()) return;
  std::string text;
  for (const auto& line : added_) text += line + '\n';
  added_.clear();
  const FileDescriptor file(
      open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (file.is_open()) (void)write_all(file.get(), text);
}

}  // namespace ddp::cli
