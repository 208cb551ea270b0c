#include "cli/launchers/ssh/push/pushed_program.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "cli/launch/plan/program_libraries.hpp"
#include "cli/launch/plan/python_environment.hpp"
#include "cli/launchers/ssh/push/file_hashes.hpp"

namespace ddp::cli {
namespace {

namespace fs = std::filesystem;

/// All libraries of glibc belong to the host's loader: one of another version does not load.
bool is_of_c_library(const std::string& name) {
  constexpr auto kBeginnings = std::to_array<std::string_view>(
      {"linux-vdso.", "ld-linux", "libBrokenLocale.so.", "libanl.so.", "libc.so.", "libdl.so.", "libm.so.",
       "libmvec.so.", "libnsl.so.1", "libnss_compat.so.", "libnss_dns.so.", "libnss_files.so.",
       "libnss_hesiod.so.", "libpthread.so.", "libresolv.so.", "librt.so.", "libutil.so."});
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// They go together with glibc: those of a newer machine do not load on an older host.
bool is_of_cxx_library(const std::string& name) {
  return name.starts_with("libstdc++.so.") || name.starts_with("libgcc_s.so.");
}

/// What g++ 8 has; that is the floor of torch's wheels, too.
constexpr std::array<std::pair<std::string_view, std::array<int, 3>>, 3> kOlderCxxLibrary{{
    {"GLIBCXX_", {3, 4, 25}},
    {"CXXABI_", {1, 3, 11}},
    {"GCC_", {7, 0, 0}},
}};

/// "3.4.22" as numbers.
std::array<int, 3> parse_version(std::string_view text) {
  std::array<int, 3> version{};
  std::istringstream numbers{std::string(text)};
  char dot = '.';
  for (int& number : version) numbers >> number >> dot;
  return version;
}

/// `version`: "GLIBCXX_3.4.22". That of another family, as GLIBC's, is nothing to the C++ library.
bool is_older(std::string_view version) {
  return std::ranges::all_of(kOlderCxxLibrary, [version](const auto& limit) {
    const auto& [family, newest] = limit;
    return !version.starts_with(family) || parse_version(version.substr(family.size())) <= newest;
  });
}

/// A version that a file asks for.
struct Need {
  std::string file;     ///< its name: "libc10.so"
  std::string version;  ///< "GLIBCXX_3.4.22"
};

/// "/opt/lib/libc10.so:" and behind it, in lines of their own, "libc.so.6 (GLIBC_2.17) => …".
std::vector<Need> parse_needs(const std::string& list) {
  std::vector<Need> needs;
  std::istringstream lines(list);
  std::string file;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, version;
    words >> name >> version;
    if (version.empty() && name.ends_with(':')) {
      file = fs::path(name.substr(0, name.size() - 1)).filename();
    } else if (version.starts_with('(') && version.ends_with(')')) {
      needs.push_back({file, version.substr(1, version.size() - 2)});
    }
  }
  return needs;
}

/// The loader's list, with the versions that are needed.
Expected<std::string> list_libraries(const fs::path& program, const EnvMap& environment,
                                     CommandRunner& runner) {
  const auto loader = find_program_loader(program);
  if (loader.empty()) return std::string();  // it is linked statically
  const auto listing = make_library_listing(loader, program, EnvMap(environment).set("LD_VERBOSE", "1"));
  if (!listing) {
    return fail(ExitCode::preflight_failed,
                "the libraries of '" + program.string() + "' are not known: its loader is " + loader,
                "link it statically, or use ssh.stage: shared");
  }
  const auto result = runner.run(*listing);
  if (!result) return tl::unexpected(result.error());
  return result->out + result->err;
}

}  // namespace

std::vector<fs::path> parse_libraries(const std::string& list) {
  std::vector<fs::path> libraries;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, path;
    if (words >> name >> arrow >> path && arrow == "=>" && path.starts_with('/') && !is_of_c_library(name))
      libraries.emplace_back(path);
  }
  return libraries;
}

bool fits_older_cxx_library(const std::string& list) {
  return std::ranges::all_of(parse_needs(list), [](const Need& need) {
    return is_of_cxx_library(need.file) || is_older(need.version);
  });
}

std::string needed_c_library(const std::string& list) {
  constexpr std::string_view kFamily = "GLIBC_";
  const bool spares_cxx_library = fits_older_cxx_library(list);
  std::string newest;
  for (const auto& [file, version] : parse_needs(list)) {
    if (!version.starts_with(kFamily) || is_of_c_library(file)) continue;
    if (spares_cxx_library && is_of_cxx_library(file)) continue;
    if (const auto number = version.substr(kFamily.size()); is_older_version(newest, number)) newest = number;
  }
  return newest;
}

bool is_older_version(const std::string& a, const std::string& b) {
  return parse_version(a) < parse_version(b);
}

std::string library_folders(const std::string& folder) {
  constexpr const char* kOfTheHost =
      "/lib64:/usr/lib64:/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib:/usr/lib";
  return folder + "/lib:" + kOfTheHost + ":" + folder + "/lib/spare";
}

/// A library goes by the name under which it was found, which is the one that the program asks for.
Expected<PushedContents> collect_program(const fs::path& trainer, const EnvMap& environment,
                                         const EnvMap& user, CommandRunner& runner) {
  const auto list = list_libraries(trainer, environment, runner);
  if (!list) return tl::unexpected(list.error());
  const bool spares_cxx_library = fits_older_cxx_library(*list);
  auto paths = parse_libraries(*list);
  paths.insert(paths.begin(), trainer);
  const auto hashes = hash_files(paths, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  PushedContents program;
  program.libc = needed_c_library(*list);
  for (const auto& path : paths) {
    const std::string& hash = hashes->at(path);
    const std::string name = path.filename();
    const bool is_spare = spares_cxx_library && is_of_cxx_library(name);
    const std::string folder = program.files.empty() ? "" : is_spare ? "lib/spare/" : "lib/";
    std::error_code error;
    program.files.push_back({folder + name, hash, fs::file_size(path, error)});
    if (error) return fail(ExitCode::preflight_failed, "'" + path.string() + "' cannot be read");
    program.sources[hash] = path;
  }
  return program;
}

/// Beside the programs of an installation; a wheel has it among the packages of its environment.
std::vector<fs::path> find_python_package(const fs::path& programs) {
  const fs::path prefix = programs.parent_path();
  auto folders = package_folders(prefix);
  folders.insert(folders.begin(), prefix / "share/ddpsubmit/python");
  for (const auto& folder : folders) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / "ddpsubmit", error))
      if (entry.path().extension() == ".py") files.push_back(entry.path());
    if (!files.empty()) return files;
  }
  return {};
}

Expected<PushedContents> collect_python_package(const fs::path& programs, const EnvMap& user,
                                                CommandRunner& runner) {
  const auto paths = find_python_package(programs);
  const auto hashes = hash_files(paths, user, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  PushedContents package;
  for (const auto& path : paths) {
    std::error_code error;
    package.files.push_back(
        {"ddpsubmit/" + path.filename().string(), hashes->at(path), fs::file_size(path, error)});
    if (error) return fail(ExitCode::preflight_failed, "'" + path.string() + "' cannot be read");
    package.sources[hashes->at(path)] = path;
  }
  return package;
}

Expected<PushedAgent> collect_agent(const fs::path& agent, const std::string& folder,
                                    const EnvMap& environment, CommandRunner& runner) {
  const auto hashes = hash_files({agent}, environment, runner);
  if (!hashes) return tl::unexpected(hashes.error());
  return PushedAgent{folder, hashes->at(agent), fs::file_size(agent)};
}

}  // namespace ddp::cli
