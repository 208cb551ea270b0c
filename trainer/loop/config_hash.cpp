#include "trainer/loop/config_hash.hpp"

#include <cstdint>
#include <iomanip>
#include <sstream>
#include <type_traits>

namespace ddp::trainer {
namespace {

template <class T>
void write(std::ostream& out, const std::vector<T>& list) {
  for (const auto item : list) out << item << ',';
}

template <class T>
void write(std::ostream& out, const T& value) {
  out << value;
}

void write(std::ostream& out, const Component& component) {
  out << component.name << '{';
  for (const auto& [key, value] : component.options) {
    out << key << '=';
    std::visit([&](const auto& held) { write(out, held); }, value);
    out << ';';
  }
  out << '}';
}

// FNV-1a, 64 bits.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string config_hash(const TrainConfig& config) {
  std::ostringstream text;
  text << std::hexfloat << config.seed << ' ';
  write(text, config.model);
  write(text, config.data.source);
  write(text, config.optimizer);
  if (config.schedule) write(text, *config.schedule);
  text << config.clip_grad_norm.value_or(0) << ' ' << static_cast<int>(config.precision) << ' ';
  text << config.data.batch_size << config.data.shuffle << config.data.drop_last << ' '
       << config.ddp.bucket_cap_mib << config.ddp.find_unused_parameters << config.ddp.static_graph
       << config.ddp.broadcast_buffers << ' ' << static_cast<int>(config.strategy)
       << config.data_parallel.replicas << ' ' << config.gradient_accumulation_steps << ' '
       << static_cast<int>(config.ddp.comm_hook) << ' ' << config.initial_weights.value_or("") << ' '
       << config.sync_batch_norm << static_cast<int>(config.memory_format) << config.deterministic
       << (config.tf32 ? (*config.tf32 ? "tf32" : "fp32") : "");
  std::ostringstream digits;
  digits << std::hex << std::setw(16) << std::setfill('0') << hash_of(text.str());
  return digits.str();
}

}  // namespace ddp::trainer
