#include "trainer/data/datasets/image_folder_files.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ddp/jobenv/own_progress.hpp"

namespace ddp::trainer {
namespace {

using std::filesystem::directory_iterator;
using std::filesystem::directory_options;
using std::filesystem::path;
using std::filesystem::recursive_directory_iterator;

constexpr std::array<std::string_view, 3> kRead = {".jpg", ".jpeg", ".png"};
/// What torchvision's ImageFolder takes as well.
constexpr std::array<std::string_view, 6> kNotRead = {".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"};

bool has_extension(const path& file, std::span<const std::string_view> extensions) {
  std::string extension = file.extension();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::find(extensions, extension) != extensions.end();
}

/// Why a picture would be missed without a word; empty when none would.
std::string fault_of(const std::filesystem::directory_entry& entry) {
  std::error_code unreadable;
  const auto status = entry.status(unreadable);
  if (is_directory(status)) return {};
  if (entry.is_symlink(unreadable) && !exists(status)) return "it is a broken link";
  if (has_extension(entry, kNotRead))
    return "only JPEG and PNG files are read here; convert it, or remove it";
  if (has_extension(entry, kRead) && !is_regular_file(status)) return "it is not a regular file";
  return {};
}

/// Of the first entry, by its bytes, that has one.
class FirstFault {
 public:
  void look_at(const std::filesystem::directory_entry& entry) {
    if (!file_.empty() && file_.native() < entry.path().native()) return;
    if (std::string fault = fault_of(entry); !fault.empty()) {
      file_ = entry.path();
      fault_ = std::move(fault);
    }
  }
  void raise() const {
    if (!file_.empty()) throw std::runtime_error("cannot read '" + file_.string() + "': " + fault_);
  }

 private:
  path file_;
  std::string fault_;
};

}  // namespace

std::optional<path> find_image_split(const path& root, SplitsRead split) {
  std::error_code unreadable;
  for (const char* name :
       {split == SplitsRead::train ? "train" : "test", split == SplitsRead::train ? "train" : "val"}) {
    if (std::filesystem::is_directory(root / name, unreadable)) return root / name;
  }
  return std::nullopt;
}

std::string no_image_split(const path& root, SplitsRead split) {
  return "there is no folder " + std::string(split == SplitsRead::train ? "train" : "test or val") + " in '" +
         root.string() + "'";
}

std::vector<std::string> list_image_classes(const path& split) {
  std::vector<std::string> classes;
  std::error_code error;
  for (directory_iterator entry(split, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unreadable;
    if (entry->is_directory(unreadable)) classes.push_back(entry->path().filename());
  }
  std::ranges::sort(classes);
  return classes;
}

std::vector<path> list_images(const path& class_folder) {
  std::vector<std::pair<std::string, std::string>> files;  // folder and name: that is how they are sorted
  FirstFault first_fault;
  for (const auto& entry :
       recursive_directory_iterator(class_folder, directory_options::follow_directory_symlink)) {
    count_part();
    first_fault.look_at(entry);
    if (has_extension(entry, kRead) && entry.is_regular_file())
      files.emplace_back(entry.path().parent_path(), entry.path().filename());
  }
  first_fault.raise();
  std::ranges::sort(files);
  std::vector<path> paths;
  for (const auto& [folder, name] : files) paths.push_back(path(folder) / name);
  return paths;
}

}  // namespace ddp::trainer
