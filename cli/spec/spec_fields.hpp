#pragma once

#include "cli/spec/run_spec.hpp"
#include "jobenv/config/fields.hpp"

namespace ddp::cli {

/// Every key of the file format in canonical order, for reading, rendering and documenting.
void describe_spec(Fields& fields, RunSpec& spec);

}  // namespace ddp::cli
