#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "jobenv/record/files/crc32c.hpp"
#include "jobenv/record/files/durable_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "trainer/checkpoint/format/file_names.hpp"

namespace ddp::cli {

using trainer::render_tensor_file_name, trainer::TensorPart;

/// A tensor of a file of a test. Its bytes lie behind those of the tensor before it.
struct TestTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;
  std::vector<std::int64_t> offsets = {};  ///< of a shard
};

/// Whether a file says that its tensors are shards.
enum class TestForm { whole, shard };

inline std::string render_tensors(const std::vector<TestTensor>& tensors, TestForm form = TestForm::whole) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  nlohmann::json info = nlohmann::json::object();
  std::string data;
  for (const auto& tensor : tensors) {
    const auto end = data.size() + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {data.size(), end}}};
    info[tensor.name] = {{"saved_offsets", tensor.offsets}};
    data += tensor.bytes;
  }
  if (form == TestForm::shard) header["__metadata__"]["DCP_SHARDING_INFO"] = info.dump();
  auto text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length(8, '\0');
  for (std::size_t byte = 0; byte < 8; ++byte)
    length[byte] = static_cast<char>(text.size() >> (8 * byte) & 0xff);
  return length + text + data;
}

/// The folder of a checkpoint: files are added, then described by a manifest.
class CheckpointFiles {
 public:
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path path_of(const std::string& name) const { return folder_ / name; }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  void write_shard(TensorPart part, int shard, const std::vector<TestTensor>& tensors) {
    write(render_tensor_file_name({part, shard}), render_tensors(tensors, TestForm::shard));
  }
  void write_state() {
    write("state.json", R"({"step":7,"epoch":1,"position":2,"world_size":2,"shards":2,"batch_size":4,)"
                        R"("total_steps":9,"extra_tensors":0,"versions":{"libtorch":"2.11.0"},)"
                        R"("settings":["train.model.name: mlp","train.optimizer.name: adam"]})");
  }
  void write_manifest() {
    nlohmann::json files = nlohmann::json::object();
    int format = 1;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const auto name = entry.path().filename().string();
      if (name == "manifest.json") continue;
      if (name.starts_with("shard-")) format = 2;
      const auto text = load_file(entry.path()).value();
      std::string sum(8, '0');
      auto crc = crc32c(std::as_bytes(std::span(text)));
      for (std::size_t digit = 8; digit > 0; crc >>= 4) sum[--digit] = "0123456789abcdef"[crc & 0xf];
      files[name] = {{"size", text.size()}, {"crc32c", sum}};
    }
    write("manifest.json", nlohmann::json{{"format", format}, {"files", files}}.dump());
  }

  /// A model of one parameter and one buffer, of two bytes a row, with the state of the optimizer.
  void write_whole() {
    write("model.safetensors", render_tensors({{"w", "BF16", {3, 1}, "aabbcc"}, {"mean", "U8", {2}, "xy"}}));
    write("optimizer.safetensors",
          render_tensors({{"w.exp_avg", "BF16", {3, 1}, "ddeeff"}, {"w.step", "U8", {}, "7"}}));
    write_common();
  }
  /// The same in shards of two ranks.
  void write_shards() {
    write_shard(TensorPart::model, 1,
                {{"w", "BF16", {2, 1}, "aabb", {0, 0}}, {"mean", "U8", {2}, "xy", {0}}});
    write_shard(TensorPart::model, 2, {{"w", "BF16", {1, 1}, "cc", {2, 0}}});
    write_shard(TensorPart::optimizer, 1,
                {{"w.exp_avg", "BF16", {2, 1}, "ddee", {0, 0}}, {"w.step", "U8", {}, "7", {}}});
    write_shard(TensorPart::optimizer, 2, {{"w.exp_avg", "BF16", {1, 1}, "ff", {2, 0}}});
    write_common();
  }

 private:
  void write_common() {
    write("rng.safetensors", render_tensors({{"rank-0", "U8", {2}, "rr"}}));
    write_state();
    write_manifest();
  }

  TemporaryFolder folder_;
};

}  // namespace ddp::cli
