#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ddp/jobenv/env_map.hpp"
#include "ddp/jobenv/error.hpp"
#include "ddp/jobenv/job_environment.hpp"

namespace ddp {

enum class Need { required, optional };

/// Reads variables into the fields of a JobEnvironment, notes each field's origin, and collects all that is
/// wrong, so that one error can show everything: the problems, and the table of what was read.
class VariableReader {
 public:
  VariableReader(const EnvMap& env, JobEnvironment& job) : env_(env), job_(job) {}

  /// The value, if the variable is set and not empty. It appears in the table either way.
  std::optional<std::string> look_up(const std::string& variable);

  /// The value of a variable that is no field of its own; nullopt when it is absent or, noted, wrong.
  std::optional<int> number_of(const std::string& variable, Need need, int least = 0,
                               int most = std::numeric_limits<int>::max());

  void read_text(std::string& value, const char* field, const std::string& variable, Need need);
  void read_number(int& value, const char* field, const std::string& variable, Need need, int least = 0,
                   int most = std::numeric_limits<int>::max());
  void read_layout(const std::string& variable, Need need);
  void read_hostnames(const std::string& variable, Need need);
  void read_deadline(const std::string& variable);
  void read_gpus();

  /// Notes a problem unless `holds`.
  void expect(bool holds, const std::string& problem);
  void set_origin(const char* field, const std::string& variable);

  [[nodiscard]] bool failed() const { return !problems_.empty(); }
  /// `subject: problem; problem`, then one line a variable.
  [[nodiscard]] Error error(const std::string& subject, const std::string& hint) const;

 private:
  /// look_up, and a problem if a required variable is not set.
  std::optional<std::string> find(const std::string& variable, Need need);

  const EnvMap& env_;
  JobEnvironment& job_;
  std::vector<std::string> seen_;
  std::vector<std::string> problems_;
};

}  // namespace ddp
