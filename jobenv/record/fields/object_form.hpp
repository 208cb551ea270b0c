#pragma once

#include "jobenv/record/fields/described_object.hpp"

namespace ddp {

/// The form of a struct with `static void describe(auto& fields, auto& value)`: an object of those fields.
template <class T>
struct ObjectForm {
  const char* subject;           ///< what errors call it
  const char* schema = nullptr;  ///< nullptr: it has none

  [[nodiscard]] nlohmann::json render(const T& value) const { return write_object(schema, value, kDescribe); }

  [[nodiscard]] Expected<T> parse(const nlohmann::json& found) const {
    return read_object<T>({found, subject, schema}, ExitCode::run_failed, kDescribe)
        .map_error([](const Error& error) {
          return Error{error.code, "is not valid: " + error.message};
        });
  }

 private:
  static constexpr auto kDescribe = [](auto& fields, auto& value) { T::describe(fields, value); };
};

}  // namespace ddp
