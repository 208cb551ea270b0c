#include "trainer/app/libtorch_version.hpp"

#include <caffe2/core/common.h>
#include <dlfcn.h>
#include <torch/version.h>

namespace ddp::trainer {
namespace {

/// What the library was compiled with, told by itself.
const std::map<std::string, std::string>& build_options() {
  return caffe2::GetBuildOptions();
}

std::string file_of_libtorch() {
  Dl_info info{};
  return dladdr(&build_options(), &info) != 0 && info.dli_fname != nullptr ? info.dli_fname
                                                                           : "libtorch_cpu.so";
}

}  // namespace

std::optional<Error> find_foreign_libtorch() {
  const auto version = build_options().find("TORCH_VERSION");
  const std::string loaded = version == build_options().end() ? "of an unknown version" : version->second;
  if (loaded == TORCH_VERSION) return std::nullopt;
  return Error{ExitCode::config_invalid,
               "this program was built with LibTorch " TORCH_VERSION ", but the loaded '" +
                   file_of_libtorch() + "' is " + loaded,
               "install torch " TORCH_VERSION " (pip install torch==" TORCH_VERSION
               "), point LD_LIBRARY_PATH and LD_PRELOAD to it, or build the program with the loaded version"};
}

}  // namespace ddp::trainer
