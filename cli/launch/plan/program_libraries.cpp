#include "cli/launch/plan/program_libraries.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "jobenv/probe/missing_libraries.hpp"

namespace ddp::cli {
namespace {

constexpr std::size_t kLongestLoader = 4096;

template <class T>
bool read_at(std::ifstream& file, std::uint64_t offset, T& value) {
  file.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof value));
}

std::string read_name(std::ifstream& file, std::uint64_t offset, std::uint64_t size) {
  std::string name(std::min<std::uint64_t>(size, kLongestLoader), '\0');
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(name.data(), static_cast<std::streamsize>(name.size()))) return {};
  return name.c_str();  // up to its zero
}

}  // namespace

std::string find_program_loader(const std::filesystem::path& program) {
  std::ifstream file(program, std::ios::binary);
  Elf64_Ehdr head{};
  if (!read_at(file, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return {};
  if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr)) return {};
  for (std::uint64_t index = 0; index < head.e_phnum; ++index) {
    Elf64_Phdr segment{};
    if (!read_at(file, head.e_phoff + index * sizeof segment, segment)) return {};
    if (segment.p_type == PT_INTERP) return read_name(file, segment.p_offset, segment.p_filesz);
  }
  return {};
}

std::optional<CommandRequest> make_library_listing(const std::string& loader,
                                                   const std::filesystem::path& program,
                                                   const EnvMap& environment) {
  const auto name = std::filesystem::path(loader).filename().string();
  if (name.starts_with("ld-musl-"))
    return CommandRequest{.argv = {loader, "--list", program.string()}, .environment = environment};
  if (!name.starts_with("ld-linux") && !name.starts_with("ld64.so")) return std::nullopt;
  auto listing = environment;
  listing.set(kTraceLibraries, "1");
  return CommandRequest{.argv = {loader, program.string()}, .environment = std::move(listing)};
}

MissingLibraries find_missing_libraries(const std::filesystem::path& program, const EnvMap& environment,
                                        CommandRunner& runner) {
  const auto loader = find_program_loader(program);
  if (loader.empty()) return {};
  const auto listing = make_library_listing(loader, program, environment);
  if (!listing) return {.names = {}, .unknown_loader = loader};
  const auto result = runner.run(*listing);
  if (!result) return {};
  return {.names = parse_missing_libraries(result->out + result->err), .unknown_loader = {}};
}

}  // namespace ddp::cli
