#include "trainer/config/component_schema.hpp"

namespace ddp::trainer {

ComponentSchema parameter_server_schema() {
  return {.name = "parameter_server", .doc = "rank 0 holds the parameters", .options = {}};
}

}  // namespace ddp::trainer
