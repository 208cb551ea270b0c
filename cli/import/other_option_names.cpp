#include "cli/import/other_option_names.hpp"

#include <algorithm>
#include <array>

namespace ddp::cli {
namespace {

struct OtherOption {
  std::string_view name;
  OptionValue value = OptionValue::required;
};

/// Of the manual pages of sbatch and srun, and of the help of pyxis.
constexpr std::array kOtherOptions = {
    OtherOption{"acctg-freq"},
    OtherOption{"batch"},
    OtherOption{"bb"},
    OtherOption{"bbf"},
    OtherOption{"bcast", OptionValue::optional},
    OtherOption{"bcast-exclude"},
    OtherOption{"cluster-constraint"},
    OtherOption{"compress", OptionValue::optional},
    OtherOption{"container"},
    OtherOption{"container-entrypoint", OptionValue::none},
    OtherOption{"container-env"},
    OtherOption{"container-id"},
    OtherOption{"container-image"},
    OtherOption{"container-mount-home", OptionValue::none},
    OtherOption{"container-mounts"},
    OtherOption{"container-name"},
    OtherOption{"container-readonly", OptionValue::none},
    OtherOption{"container-remap-root", OptionValue::none},
    OtherOption{"container-save"},
    OtherOption{"container-workdir"},
    OtherOption{"container-writable", OptionValue::none},
    OtherOption{"cores-per-socket"},
    OtherOption{"cpu-bind"},
    OtherOption{"cpu-freq"},
    OtherOption{"cpus-per-gpu"},
    OtherOption{"deadline"},
    OtherOption{"delay-boot"},
    OtherOption{"disable-status", OptionValue::none},
    OtherOption{"epilog"},
    OtherOption{"export-file"},
    OtherOption{"extra"},
    OtherOption{"get-user-env", OptionValue::optional},
    OtherOption{"gid"},
    OtherOption{"gpu-bind"},
    OtherOption{"gpu-freq"},
    OtherOption{"gres-flags"},
    OtherOption{"help", OptionValue::none},
    OtherOption{"hint"},
    OtherOption{"ignore-pbs", OptionValue::none},
    OtherOption{"ignore-signals"},
    OtherOption{"immediate", OptionValue::optional},
    OtherOption{"interactive", OptionValue::none},
    OtherOption{"kill-on-invalid-dep"},
    OtherOption{"mcs-label"},
    OtherOption{"mem-bind"},
    OtherOption{"mincpus"},
    OtherOption{"msg-timeout"},
    OtherOption{"network"},
    OtherOption{"no-allocate", OptionValue::none},
    OtherOption{"no-container-entrypoint", OptionValue::none},
    OtherOption{"no-container-mount-home", OptionValue::none},
    OtherOption{"no-container-remap-root", OptionValue::none},
    OtherOption{"ntasks-per-core"},
    OtherOption{"ntasks-per-socket"},
    OtherOption{"power"},
    OtherOption{"prefer"},
    OtherOption{"preserve-env", OptionValue::none},
    OtherOption{"priority"},
    OtherOption{"profile"},
    OtherOption{"prolog"},
    OtherOption{"quit-on-interrupt", OptionValue::none},
    OtherOption{"resv-ports", OptionValue::optional},
    OtherOption{"send-libs", OptionValue::optional},
    OtherOption{"slurmd-debug"},
    OtherOption{"sockets-per-node"},
    OtherOption{"stepmgr", OptionValue::none},
    OtherOption{"switches"},
    OtherOption{"task-epilog"},
    OtherOption{"task-prolog"},
    OtherOption{"test-only", OptionValue::none},
    OtherOption{"thread-spec"},
    OtherOption{"threads-per-core"},
    OtherOption{"time-min"},
    OtherOption{"tmp"},
    OtherOption{"tres-bind"},
    OtherOption{"tres-per-job"},
    OtherOption{"tres-per-task"},
    OtherOption{"uid"},
    OtherOption{"usage", OptionValue::none},
    OtherOption{"version", OptionValue::none},
    OtherOption{"wckey"},
    OtherOption{"whole", OptionValue::none},
    OtherOption{"x11", OptionValue::optional},
};

}  // namespace

std::optional<OptionValue> value_of_other_option(std::string_view name) {
  const auto* found = std::ranges::find(kOtherOptions, name, &OtherOption::name);
  return found == kOtherOptions.end() ? std::nullopt : std::optional(found->value);
}

std::vector<std::string_view> other_options_that_begin(std::string_view beginning) {
  std::vector<std::string_view> names;
  for (const auto& option : kOtherOptions)
    if (option.name.starts_with(beginning)) names.push_back(option.name);
  return names;
}

}  // namespace ddp::cli
