#pragma once

#include <utility>

#include "jobenv/record/fields/object_reader.hpp"
#include "jobenv/record/fields/object_writer.hpp"

namespace ddp {

/// The form of a struct with `static void describe(auto& fields, auto& value)`: an object of those fields.
template <class T>
struct ObjectForm {
  const char* subject;           ///< what errors call it
  const char* schema = nullptr;  ///< nullptr: it has none

  [[nodiscard]] nlohmann::json render(const T& value) const {
    ObjectWriter fields(schema);
    T::describe(fields, value);
    return std::move(fields.object);
  }

  [[nodiscard]] Expected<T> parse(const nlohmann::json& found) const {
    T value;
    ObjectReader fields(found, subject, schema);
    T::describe(fields, value);
    if (const auto problem = fields.problem(ExitCode::run_failed))
      return fail(problem->code, "is not valid: " + problem->message);
    return value;
  }
};

}  // namespace ddp
