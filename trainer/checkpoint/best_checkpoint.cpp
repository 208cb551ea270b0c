#include "trainer/checkpoint/best_checkpoint.hpp"

#include <iomanip>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "jobenv/record/files/durable_file.hpp"

namespace ddp::trainer {

void save_best(const std::filesystem::path& folder, const BestCheckpoint& best) {
  std::ostringstream text;
  text << render_checkpoint_name(best.name) << '\n'
       << best.score.metric << ' ' << std::setprecision(std::numeric_limits<double>::max_digits10)
       << best.score.value << '\n';
  if (const auto saved = save_file(folder / "BEST", text.str(), Durability::synced); !saved)
    throw std::runtime_error(saved.error().message);
}

std::optional<BestCheckpoint> load_best(const std::filesystem::path& folder) {
  const auto text = load_file(folder / "BEST");
  if (!text) {
    if (text.error().code == ExitCode::not_found) return std::nullopt;
    throw std::runtime_error(text.error().message);
  }
  std::istringstream words(*text);
  std::string name;
  BestCheckpoint best;
  if (!(words >> name >> best.score.metric >> best.score.value)) return std::nullopt;
  const auto parsed = parse_checkpoint_name(name);
  if (!parsed) return std::nullopt;
  best.name = *parsed;
  return best;
}

}  // namespace ddp::trainer
