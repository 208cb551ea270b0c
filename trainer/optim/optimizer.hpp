#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/checkpoint/tensor_files.hpp"
#include "trainer/checkpoint/tensor_rows.hpp"
#include "trainer/checkpoint/training_state.hpp"
#include "trainer/config/train_config.hpp"
#include "trainer/optim/kernels/implementation.hpp"

namespace ddp::trainer {

/// Which parameters an optimizer's weight decay is for.
enum class DecayedParameters {
  all,
  matrices,  ///< those of two or more dimensions: neither biases nor the parameters of norms
};

/// As param_groups in Python: the parameters of a group are updated together.
enum class ParameterGroup { decayed, not_decayed };

/// Updates parameters from their gradients. On the CPU the results are those of torch.optim in Python, byte
/// for byte (those of LibTorch's C++ API are not), for each implementation those of the same one in Python.
/// Used by one thread.
class Optimizer {
 public:
  explicit Optimizer(NamedTensors parameters, DecayedParameters decayed = DecayedParameters::all)
      : parameters_(std::move(parameters)), decayed_(decayed) {}
  virtual ~Optimizer() = default;

  /// One update with this step's learning rate. A parameter without a gradient is left alone.
  void step(double learning_rate);

  /// Those of the parameters that have one, in their order. The tensors are shared.
  [[nodiscard]] std::vector<torch::Tensor> gradients() const;

  /// Takes all gradients away, as Python's zero_grad() does; a gradient that is missing is not one of zeros.
  void zero_grad();

  /// What this rank keeps, named `<parameter>.<part>`; only of parameters that have been updated. The tensors
  /// are shared.
  [[nodiscard]] virtual NamedTensors state() const = 0;

  /// The state of all parameters, as a checkpoint holds it: complete on rank 0, whoever keeps it. Where ranks
  /// keep shares it is a collective, and what others keep comes as copies on the CPU.
  [[nodiscard]] virtual NamedTensors gather_state() { return state(); }

  /// Takes copies of what gather_state() gave. Throws std::invalid_argument for a name or shape that does not
  /// belong here.
  void load_state(const NamedTensors& state);

  /// What this rank keeps, as rows of the state of whole parameters. Each row is on exactly one of the ranks
  /// that share the parameters. The tensors are shared with the optimizer.
  [[nodiscard]] virtual std::vector<TensorRows> state_rows() const { return whole_tensors(state()); }

  /// Reads from `state`, the files of a checkpoint, what load_state() would take: this rank only what it
  /// keeps. Throws like load_state(), and what TensorFiles throws.
  void read_state(const TensorFiles& state);

 protected:
  [[nodiscard]] const NamedTensors& parameters() const { return parameters_; }

  /// What load_part() throws for `value`, the `part` of a state of `parameter` that `optimizer` has not.
  [[nodiscard]] static std::invalid_argument no_place_for(const std::string& part, const torch::Tensor& value,
                                                          const std::string& parameter,
                                                          const char* optimizer);

 private:
  /// Of the parameters at these places in parameters(), at least one; all of them have a gradient and are in
  /// `group`.
  virtual void update(std::span<const std::size_t> indices, double learning_rate, ParameterGroup group) = 0;
  /// `index` is the parameter's place in parameters().
  virtual void load_part(std::size_t index, const std::string& part, const torch::Tensor& value) = 0;
  /// Likewise; `value` is what `files` have.
  virtual void read_part(std::size_t index, const std::string& part, const StoredTensor& value,
                         const TensorFiles& files);

  /// What `name`, as in state(), is of.
  struct Part {
    std::size_t index;  ///< of the parameter in parameters()
    std::string name;
  };
  [[nodiscard]] Part find_part(const std::string& name) const;

  [[nodiscard]] ParameterGroup group_of(const torch::Tensor& parameter) const;

  NamedTensors parameters_;
  DecayedParameters decayed_;
};

/// What the option `implementation` means for these parameters.
[[nodiscard]] Implementation implementation_of(const Component& optimizer, const NamedTensors& parameters);

/// What the option `decay` means.
[[nodiscard]] DecayedParameters decayed_by(const Component& optimizer);

/// The optimizer that `optimizer` names, for `parameters` (under their names).
[[nodiscard]] std::unique_ptr<Optimizer> make_optimizer(const Component& optimizer, NamedTensors parameters);

}  // namespace ddp::trainer
