#include "trainer/checkpoint/tensor_rows.hpp"

#include <cstddef>

namespace ddp::trainer {
namespace {

std::vector<RowPlace> split_off_places(const std::vector<TensorRows>& rows, NamedTensors& tensors) {
  std::vector<RowPlace> places;
  tensors.clear();
  for (const TensorRows& piece : rows) {
    tensors.emplace_back(piece.name, piece.rows);
    places.push_back({.first = piece.first, .shape = piece.shape});
  }
  return places;
}

std::vector<TensorRows> join_places(const NamedTensors& tensors, const std::vector<RowPlace>& places) {
  std::vector<TensorRows> rows;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    rows.push_back({.name = name, .rows = tensor, .first = places[i].first, .shape = places[i].shape});
  }
  return rows;
}

}  // namespace

void put_rows(const StateRows& rows, TrainingState& state) {
  state.rows.emplace();
  state.rows->model = split_off_places(rows.model, state.model);
  state.rows->optimizer = split_off_places(rows.optimizer, state.optimizer);
}

StateRows rows_of(const TrainingState& state) {
  if (!state.rows) return {.model = whole_tensors(state.model), .optimizer = whole_tensors(state.optimizer)};
  return {.model = join_places(state.model, state.rows->model),
          .optimizer = join_places(state.optimizer, state.rows->optimizer)};
}

}  // namespace ddp::trainer
