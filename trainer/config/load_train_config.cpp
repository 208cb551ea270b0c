#include "trainer/config/load_train_config.hpp"

#include "jobenv/config/field_reader.hpp"
#include "jobenv/config/yaml_text.hpp"
#include "trainer/config/train_fields.hpp"

namespace ddp::trainer {

tl::expected<TrainConfig, Errors> load_train_config(const std::filesystem::path& file, int world_size,
                                                    const std::string& home,
                                                    const ComponentSchemas& schemas) {
  const auto root = load_yaml(std::filesystem::absolute(file), file.string(), Origin::config_file);
  if (!root) return tl::unexpected(root.error());

  Errors errors;
  std::optional<TrainConfig> config;
  Rendezvous rendezvous;
  FieldReader reader(*root, home, errors);
  reader.accept_any_key();
  reader.section(kRendezvousKey, [&] { describe_rendezvous(reader, rendezvous); });
  reader.section(kTrainKey, config, [&](TrainConfig& train) { describe_train(reader, train, schemas); });
  reader.finish();
  if (config) finish_train_config(*config, rendezvous, schemas, *root, world_size, errors);
  if (!root->find(kTrainKey.name)) {
    errors.push_back(
        {ExitCode::config_invalid, "'" + file.string() + "' has no 'train:' section", "add one"});
  }
  sort_errors(errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return *config;
}

}  // namespace ddp::trainer
