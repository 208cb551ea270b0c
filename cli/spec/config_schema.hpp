#pragma once

#include <nlohmann/json.hpp>

namespace ddp::cli {

/// The JSON Schema (draft-07, what editors know best) of one configuration file. It knows each key by itself:
/// what several keys, or several files, say together only load_run_spec knows.
[[nodiscard]] nlohmann::ordered_json config_schema();

}  // namespace ddp::cli
