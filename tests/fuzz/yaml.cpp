// A text of configuration, and the same as the value of KEY=VALUE: read or refused.
#include <cstddef>
#include <cstdint>
#include <string>

#include "jobenv/config/source_text.hpp"
#include "jobenv/config/yaml_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)ddp::parse_yaml(ddp::make_source_text("run.yaml", "/", text, ddp::Origin::config_file));
  (void)ddp::parse_override("train.model=" + text, "/");
  return 0;
}
