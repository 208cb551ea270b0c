#include "cli/launchers/ssh/push/train_paths.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <vector>

#include "cli/launchers/ssh/keys/pushed_paths.hpp"
#include "cli/launchers/ssh/push/pushed_files.hpp"
#include "cli/spec/spec_fields.hpp"
#include "jobenv/config/fields.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// Its libraries are found on this machine, and copied.
constexpr const char* kLibtorch = "train.libtorch";

/// Hands each path of `train:` to a function, which may change it.
class TrainPaths final : public Fields {
 public:
  using Visit = std::function<void(const std::string& key, std::string& path)>;
  explicit TrainPaths(Visit visit) : visit_(std::move(visit)) {}

  void unavailable(const Key&) override {}

 private:
  void visit_path(const Key& key, std::optional<std::string>& value) override {
    if (value && !sections_.empty() && sections_.front() == "train" && path_to(key) != kLibtorch)
      visit_(path_to(key), *value);
  }
  void visit_integer(const Key&, std::optional<std::int64_t>&, IntegerRange) override {}
  void visit_number(const Key&, std::optional<double>&, NumberRange) override {}
  void visit_flag(const Key&, std::optional<bool>&) override {}
  void visit_text(const Key&, std::optional<std::string>&) override {}
  void visit_duration(const Key&, std::optional<std::chrono::seconds>&, DurationRange) override {}
  void visit_size(const Key&, std::optional<std::uint64_t>&) override {}
  void visit_word(const Key&, std::string&, std::span<const Word>) override {}
  void visit_texts(const Key&, std::vector<std::string>&) override {}
  void visit_integers(const Key&, std::vector<std::int64_t>&, IntegerRange) override {}
  void visit_numbers(const Key&, std::vector<double>&, NumberRange) override {}
  void visit_text_map(const Key&, std::map<std::string, std::string>&) override {}
  void visit_lists(const Key&, std::vector<NamedList>&) override {}
  void visit_sections(const Key&, const SectionList&) override {}
  bool wants(const Key&) override { return false; }
  bool enter(const Key& key) override {
    sections_.emplace_back(key.name);
    return true;
  }
  void leave() override { sections_.pop_back(); }

  [[nodiscard]] std::string path_to(const Key& key) const {
    std::string path;
    for (const auto& section : sections_) path += section + '.';
    return path + std::string(key.name);
  }

  Visit visit_;
  std::vector<std::string> sections_;
};

/// Below the folder that ddpsubmit was called in; nullopt: it is elsewhere, or no host gets it.
std::optional<fs::path> place_in_copy(const LaunchRequest& request, const std::string& path) {
  const auto below = fs::path(path).lexically_relative(request.plan.submit_dir);
  if (below.empty() || *below.begin() == "..") return std::nullopt;
  return names_pushed_file(request.spec, below) ? std::optional(below) : std::nullopt;
}

/// A run that is started again has what was copied when it began.
bool is_there(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown) || unknown;
}

bool is_written_relative(const Place& place) {
  if (!place.source || place.column < 1) return false;
  const auto& [text, starts] = std::tie(place.source->text, place.source->line_starts);
  const auto line = starts.empty() ? 0 : starts.at(static_cast<std::size_t>(std::max(place.line, 1) - 1));
  const auto begin = line + static_cast<std::size_t>(place.column - 1);
  const auto first = text.find_first_not_of("\"'", std::min(begin, text.size()));
  return first != text.npos && text[first] != '/' && text[first] != '~';
}

}  // namespace

RunSpec with_paths_of_copies(const LaunchRequest& request, const fs::path& work_dir) {
  RunSpec spec = request.spec;
  TrainPaths paths([&](const std::string&, std::string& path) {
    if (const auto below = place_in_copy(request, path)) path = (work_dir / *below).lexically_normal();
  });
  describe_spec(paths, spec);
  return spec;
}

Errors check_train_paths(const LaunchRequest& request) {
  Errors errors;
  RunSpec spec = request.spec;
  TrainPaths paths([&](const std::string& key, std::string& path) {
    const auto origin = spec.origins.by_path.find(key);
    if (origin == spec.origins.by_path.end() || !is_written_relative(origin->second)) return;
    if (place_in_copy(request, path) && is_there(path)) return;
    errors.push_back(config_error(origin->second,
                                  "the hosts do not get '" + path + "', which is a path of this machine",
                                  "name the file in ssh.push, or write its absolute path on the hosts"));
  });
  describe_spec(paths, spec);
  return errors;
}

}  // namespace ddp::cli
