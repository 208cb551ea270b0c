#include "trainer/data/image_folder_files.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ddp::trainer {
namespace {

using std::filesystem::directory_iterator;
using std::filesystem::directory_options;
using std::filesystem::path;
using std::filesystem::recursive_directory_iterator;

constexpr std::array<std::string_view, 3> kExtensions = {".jpg", ".jpeg", ".png"};

bool is_image(const path& file) {
  std::string extension = file.extension();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

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
  return "there is no folder " + std::string(split == SplitsRead::train ? "train" : "test, nor val,") +
         " in '" + root.string() + "'";
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
  for (const auto& entry :
       recursive_directory_iterator(class_folder, directory_options::follow_directory_symlink)) {
    if (is_image(entry.path()) && entry.is_regular_file())
      files.emplace_back(entry.path().parent_path(), entry.path().filename());
  }
  std::ranges::sort(files);
  std::vector<path> paths;
  for (const auto& [folder, name] : files) paths.push_back(path(folder) / name);
  return paths;
}

}  // namespace ddp::trainer
