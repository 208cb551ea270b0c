#pragma once

#include <cstdint>

namespace ddp::trainer::simd {

/// Passes over plain arrays of `count` floats, vectorised. Each operation is rounded as ATen's AVX2 and
/// AVX-512 kernels round it: a product that they add at once is not rounded before (FMA), every other one is.
/// Arrays of one call do not overlap. They need available().
[[nodiscard]] bool available();

struct AdamMoments {
  float l2 = 0;           ///< weight decay that is added to the gradient; 0: none
  float lerp_weight = 0;  ///< 1 - beta1
  float beta2 = 0;
  float square_weight = 0;  ///< 1 - beta2
};

/// The running means of the gradient and of its square.
void adam_moments(const AdamMoments& with, std::int64_t count, const float* parameter, const float* gradient,
                  float* average, float* square);

struct AdamUpdate {
  float keep = 1;         ///< what decoupled weight decay leaves of a parameter
  float correction2 = 1;  ///< square root of 1 - beta2^step
  float eps = 0;
  float step_size = 0;  ///< negative
};

/// The parameters, from the mean of gradients and the square roots of the means of their squares.
void adam_update(const AdamUpdate& with, std::int64_t count, const float* average, const float* root,
                 float* parameter);

struct SgdUpdate {
  float l2 = 0;
  float step_size = 0;  ///< negative
};

/// Without momentum.
void sgd_update(const SgdUpdate& with, std::int64_t count, const float* gradient, float* parameter);

enum class Momentum { classic, nesterov };

struct SgdMomentum {
  float momentum = 0;
  float gradient_weight = 1;  ///< 1 - dampening
  Momentum kind = Momentum::classic;
};

/// With a momentum buffer that has been filled before.
void sgd_momentum_update(const SgdUpdate& with, const SgdMomentum& momentum, std::int64_t count,
                         const float* gradient, float* buffer, float* parameter);

}  // namespace ddp::trainer::simd
