#include "cli/launchers/ssh/push/file_hashes.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>

#include "jobenv/record/fields/json_text.hpp"
#include "jobenv/record/fields/lenient_fields.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "jobenv/record/files/trusted_path.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Of some 10 GB, on a slow disk.
constexpr std::chrono::minutes kPatience{10};
/// Of one command line, which the kernel limits.
constexpr std::size_t kMostArguments = 200;

std::optional<fs::path> cache_folder(const EnvMap& user) {
  const auto cache = user.get("XDG_CACHE_HOME");
  const auto home = user.get("HOME");
  if (cache && cache->starts_with('/')) return fs::path(*cache) / "ddpsubmit";
  if (home && home->starts_with('/')) return fs::path(*home) / ".cache/ddpsubmit";
  return std::nullopt;
}

/// In a folder that nobody else can write to: who changes a hash has another program copied.
std::optional<fs::path> cache_file(const EnvMap& user) {
  const auto folder = cache_folder(user);
  const auto made = folder ? make_own_folder(*folder) : fail(ExitCode::not_found, "no folder");
  if (!made) return std::nullopt;
  return made->path / "hashes.json";
}

json load_cache(const std::optional<fs::path>& file) {
  if (!file) return json::object();
  auto cache = parse_json(load_file(*file).value_or(""));
  return cache.is_object() ? cache : json::object();
}

/// A cache that cannot be written is none.
void save_cache(const std::optional<fs::path>& file, const json& cache) {
  if (file) (void)save_file(*file, cache.dump(1) + "\n", Durability::visible);
}

/// "size inode seconds nanoseconds"; empty: there is no such file.
std::string state_of(const fs::path& file) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0) return {};
  std::ostringstream text;
  text << found.st_size << ' ' << found.st_ino << ' ' << found.st_mtim.tv_sec << ' ' << found.st_mtim.tv_nsec;
  return text.str();
}

bool knows(const json& cache, const fs::path& file) {
  const auto entry = cache.find(file.string());
  return entry != cache.end() && entry->is_object() && text_of(*entry, "state") == state_of(file) &&
         text_of(*entry, "sha256").size() == 64;
}

/// It has hashed the others.
bool names_unreadable(const CommandResult& result) {
  return result.end == CommandResult::End::exited && result.code == 1 && !result.out.empty();
}

using Hashes = std::map<fs::path, std::string>;

/// A line of sha256sum: the hash, two characters, the name; `--zero` leaves names as they are.
Expected<void> add_hashes(std::span<const fs::path> files, const EnvMap& user, CommandRunner& runner,
                          Hashes& hashes) {
  CommandRequest request{.argv = {"sha256sum", "--zero", "--"}, .environment = user, .timeout = kPatience};
  request.argv.insert(request.argv.end(), files.begin(), files.end());
  const auto result = runner.run(request);
  if (!result) return tl::unexpected(result.error());
  if (!result->succeeded() && !names_unreadable(*result))
    return fail(ExitCode::preflight_failed, "sha256sum: " + result->err);
  std::istringstream lines(result->out);
  for (std::string line; std::getline(lines, line, '\0');)
    if (line.size() >= 67) hashes[line.substr(66)] = line.substr(0, 64);
  return {};
}

/// Into `cache`.
Expected<void> remember_hashes(const std::vector<fs::path>& files, const EnvMap& user, CommandRunner& runner,
                               json& cache) {
  std::map<fs::path, std::string> states;  // before: what changes meanwhile is not known
  for (const auto& file : files) states[file] = state_of(file);
  const auto hashes = hash_files_now(files, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  for (const auto& [file, hash] : *hashes) cache[file.string()] = {{"state", states[file]}, {"sha256", hash}};
  return {};
}

}  // namespace

Expected<Hashes> hash_files(const std::vector<fs::path>& files, const EnvMap& user, CommandRunner& runner) {
  const auto place = cache_file(user);
  json cache = load_cache(place);
  std::vector<fs::path> unknown;
  for (const auto& file : files)
    if (!knows(cache, file)) unknown.push_back(file);
  if (!unknown.empty()) {
    if (auto added = remember_hashes(unknown, user, runner, cache); !added)
      return tl::unexpected(added.error());
    save_cache(place, cache);
  }
  Hashes hashes;
  for (const auto& file : files) {
    if (!knows(cache, file))
      return fail(ExitCode::preflight_failed, "'" + file.string() + "' cannot be read");
    hashes[file] = cache[file.string()]["sha256"];
  }
  return hashes;
}

Expected<Hashes> hash_files_now(const std::vector<fs::path>& files, const EnvMap& user,
                                CommandRunner& runner) {
  Hashes hashes;
  std::span<const fs::path> rest = files;
  while (!rest.empty()) {
    const auto some = rest.first(std::min(rest.size(), kMostArguments));
    if (auto added = add_hashes(some, user, runner, hashes); !added) return tl::unexpected(added.error());
    rest = rest.subspan(some.size());
  }
  return hashes;
}

}  // namespace ddp::cli
