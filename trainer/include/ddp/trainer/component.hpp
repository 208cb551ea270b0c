#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ddp/jobenv/value_range.hpp"

namespace ddp::trainer {

/// The value of one option of a component: a model, dataset, optimizer, schedule, loss or strategy. Which
/// names and types exist is the component's schema.
using OptionValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

/// A component chosen by name, with every option of its schema filled in (defaults included).
struct Component {
  std::string name;
  std::map<std::string, OptionValue> options;

  /// The option `key` as T. The schema guarantees name and type: a miss is a programming error and throws
  /// std::out_of_range or std::logic_error, which name the option.
  template <class T>
  [[nodiscard]] const T& get(const std::string& key) const {
    const T* value = std::get_if<T>(&option(key));
    if (value == nullptr) refuse_type(key);
    return *value;
  }
  bool operator==(const Component&) const = default;

 private:
  [[nodiscard]] const OptionValue& option(const std::string& key) const;
  [[noreturn]] void refuse_type(const std::string& key) const;
};

/// A value that is known, but cannot be used.
struct RefusedWord {
  std::string word;
  std::string reason;  ///< completes "cannot be 'WORD': "
};

/// One option of a component. The alternative that `default_value` holds is its type.
struct OptionSchema {
  std::string key;
  OptionValue default_value;
  std::string doc;
  IntegerRange integers = {};                   ///< of an integer, or of each item of a list of integers
  NumberRange numbers = {};                     ///< likewise
  std::vector<std::string> words = {};          ///< of a text: the accepted values; empty: any
  std::vector<RefusedWord> refused_words = {};  ///< besides `words`
  enum class Text { plain, path, required_path } text = Text::plain;
};

/// What a dataset's samples look like, when its options are known: checked against the model.
struct SampleShape {
  std::vector<std::int64_t> dims;  ///< without the batch
  std::int64_t classes = 0;        ///< 0: not known before the data is read
};

/// Which splits of a dataset a run reads.
enum class SplitsRead { train, test, both };

/// Files of a dataset that are not on this machine.
struct MissingData {
  std::string option;  ///< that names their place
  std::string message;
  std::string hint;
};

/// What a component can be told. Free of LibTorch; stands beside the component's factory.
struct ComponentSchema {
  std::string name;
  std::string doc;
  std::vector<OptionSchema> options;

  /// Which of its own options contradict each other; empty when none do.
  std::string (*conflict)(const Component&) = nullptr;
  /// Datasets: the shape of a sample under these options; nullopt when only a file tells that is not here.
  std::optional<SampleShape> (*sample_shape)(const Component&) = nullptr;
  /// Datasets of files: what of them is not on this machine. Looks for the files, opens none.
  std::optional<MissingData> (*missing)(const Component&, SplitsRead) = nullptr;
  /// Models: why they cannot take these samples; empty when they can.
  std::string (*mismatch)(const Component&, const SampleShape&) = nullptr;
  /// Models: whether it is known that no part of them is a Block (block.hpp), so that fsdp gathers all of
  /// their parameters together.
  enum class Blocks { unknown, none } blocks = Blocks::unknown;
  /// Models: whether it is known that they have BatchNorm layers, which compute in fp32 only.
  enum class BatchNorm { unknown, present } batch_norm = BatchNorm::unknown;
  /// Models: whether it is known that a forward pass draws no random numbers, as dropout does.
  enum class Dropout { unknown, none } dropout = Dropout::unknown;
};

}  // namespace ddp::trainer
