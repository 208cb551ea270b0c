#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "jobenv/record/fields/described_object.hpp"
#include "jobenv/record/fields/json_text.hpp"

/// Messages as lines of JSON. A message is a struct with its name, `kName`, which the line has as "schema",
/// and, if it has fields, `static void describe(auto& fields, auto& message)`, which names each of them to an
/// ObjectWriter or an ObjectReader. A variant of such structs is what one side may say.
namespace ddp {

template <class Message>
constexpr auto describe_message = [](auto& fields, auto& message) {
  if constexpr (!std::is_empty_v<Message>) Message::describe(fields, message);
};

/// Without a newline. Bytes that are not UTF-8 are replaced.
template <class... Messages>
[[nodiscard]] std::string render_message_line(const std::variant<Messages...>& any) {
  const auto render = [](const auto& message) {
    using Message = std::decay_t<decltype(message)>;
    return write_object(Message::kName, message, describe_message<Message>)
        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  return std::visit(render, any);
}

template <class Any, class Message>
Expected<Any> parse_message(const nlohmann::json& line, const std::string& subject) {
  return read_object<Message>({line, subject + " '" + Message::kName + "'", Message::kName},
                              ExitCode::run_failed, describe_message<Message>)
      .map([](Message message) { return Any(std::move(message)); });
}

template <class Any, std::size_t index = 0>
Expected<Any> parse_named_message(const nlohmann::json& line, const std::string& name,
                                  const std::string& subject) {
  if constexpr (index == std::variant_size_v<Any>) {
    return fail(ExitCode::run_failed, subject + " '" + show_text(name) + "' is not known to this program");
  } else {
    using Message = std::variant_alternative_t<index, Any>;
    if (name == Message::kName) return parse_message<Any, Message>(line, subject);
    return parse_named_message<Any, index + 1>(line, name, subject);
  }
}

/// Strict: an unknown name, a missing, mistyped, surplus or senseless field is an error that names it, of the
/// code run_failed. `subject` is what the error calls the line: "control message".
template <class Any>
[[nodiscard]] Expected<Any> parse_message_line(std::string_view text, const std::string& subject) {
  const auto line = parse_json(text);
  const auto name = line.is_object() ? line.find("schema") : line.end();
  if (name == line.end() || !name->is_string())
    return fail(ExitCode::run_failed, "a line is not a " + subject);
  return parse_named_message<Any>(line, name->template get<std::string>(), subject);
}

}  // namespace ddp
