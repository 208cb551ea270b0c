#pragma once

#include <string>
#include <utility>

#include "jobenv/record/fields/object_reader.hpp"
#include "jobenv/record/fields/object_writer.hpp"

/// What is described is a value with a function `describe(auto& fields, auto& value)` that names its fields.
namespace ddp {

/// `schema` is nullptr for an object without one.
template <class T, class Describe>
[[nodiscard]] nlohmann::json write_object(const char* schema, const T& value, Describe describe) {
  ObjectWriter fields(schema);
  describe(fields, value);
  return std::move(fields.object);
}

/// `fields` are those of the object. Errors are of `code`.
template <class T, class Describe>
[[nodiscard]] Expected<T> read_object(ObjectReader fields, ExitCode code, Describe describe) {
  T value;
  describe(fields, value);
  if (auto problem = fields.problem(code)) return tl::unexpected(std::move(*problem));
  return value;
}

}  // namespace ddp
