#include "trainer/distributed/group/plugin_build.hpp"

#include <stdexcept>
#include <string>

namespace ddp::trainer {

void refuse_build(const char* file, const char* what) {
  throw std::runtime_error(std::string(file) + " belongs to another build than this program: " + what +
                           "; build and install both together");
}

void require_same_build(const char* file, const PluginBuild& found, const PluginBuild& expected) {
  const auto refuse_number = [&](const std::string& has, std::uint32_t wanted) {
    refuse_build(file, ("its table has " + has + ", not " + std::to_string(wanted)).c_str());
  };
  if (found.version != expected.version)
    refuse_number("version " + std::to_string(found.version), expected.version);
  if (found.size != expected.size) refuse_number(std::to_string(found.size) + " bytes", expected.size);
}

}  // namespace ddp::trainer
