#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "jobenv/record/events/cause.hpp"
#include "jobenv/record/run_state.hpp"

namespace ddp {

/// What reading, writing and documenting an event have in common: each event describes its fields once.
class EventFields {
 public:
  struct Key {
    const char* name;
    const char* doc;
  };
  using Value =
      std::variant<std::string*, int*, std::uint64_t*, double*, bool*, RunState*, std::vector<std::string>*,
                   std::optional<int>*, std::optional<std::uint64_t>*, std::optional<double>*,
                   std::optional<std::chrono::system_clock::time_point>*, std::optional<Cause>*>;
  /// How a field without a value is written: as null, or an empty one of its type; or not at all.
  enum class Absence { written, left_out };

  virtual ~EventFields() = default;

  template <class T>
  void always(Key key, T& value) {
    visit(key, &value, Absence::written);
  }
  /// Not written where it is empty, false or without a value.
  template <class T>
  void if_set(Key key, T& value) {
    visit(key, &value, Absence::left_out);
  }

 protected:
  virtual void visit(Key key, Value value, Absence absence) = 0;
};

/// Writes fields into a JSON object.
class EventWriter final : public EventFields {
 public:
  nlohmann::json fields = nlohmann::json::object();

 protected:
  void visit(Key key, Value value, Absence absence) override;
};

/// Reads an event. A field that is missing or of another type keeps its default, so that events of other
/// versions can be read.
class EventReader final : public EventFields {
 public:
  explicit EventReader(const nlohmann::json& fields) : fields_(fields) {}

 protected:
  void visit(Key key, Value value, Absence absence) override;

 private:
  const nlohmann::json& fields_;
};

namespace event {

using Time = std::chrono::system_clock::time_point;
using Step = std::optional<std::uint64_t>;

}  // namespace event
}  // namespace ddp
