#include "cli/launchers/slurm/keys/pyxis_option_names.hpp"

#include <array>

namespace ddp::cli {
namespace {

/// Of its help, sorted.
constexpr std::array kPyxisOptions = {
    flag_option("container-entrypoint"),    free_option("container-env"),
    free_option("container-image"),         flag_option("container-mount-home"),
    free_option("container-mounts"),        free_option("container-name"),
    flag_option("container-readonly"),      flag_option("container-remap-root"),
    free_option("container-save"),          free_option("container-workdir"),
    flag_option("container-writable"),      flag_option("no-container-entrypoint"),
    flag_option("no-container-mount-home"), flag_option("no-container-remap-root"),
};

}  // namespace

const ProgramOptions pyxis_options{"pyxis", kPyxisOptions};

}  // namespace ddp::cli
