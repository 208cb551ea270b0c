#include "jobenv/record/fields/object_writer.hpp"

#include "jobenv/record/fields/timestamp.hpp"

namespace ddp {

nlohmann::json ObjectWriter::json_of(std::chrono::system_clock::time_point value) {
  return render_time(value);
}

}  // namespace ddp
