#include "trainer/optim/kernels/simd_kernels.hpp"

// This file is compiled with -O3, so that the loops are vectorised, and -ffp-contract=off, so that nothing
// but fma() is one.
#if defined(__x86_64__)
#define DDP_AVX2 __attribute__((target("avx2,fma")))
#else
#define DDP_AVX2
#endif

namespace ddp::trainer::simd {
namespace {

DDP_AVX2 inline float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}

template <bool kL2>
DDP_AVX2 inline float direction(float l2, float parameter, float gradient) {
  return kL2 ? fma(parameter, l2, gradient) : gradient;
}

// ATen's lerp starts from the nearer end.
template <bool kL2, bool kFromStart>
DDP_AVX2 void moments(const AdamMoments& with, std::int64_t count, const float* __restrict parameter,
                      const float* __restrict gradient, float* __restrict average, float* __restrict square) {
  const auto [l2, weight, beta2, square_weight] = with;
  for (std::int64_t i = 0; i < count; ++i) {
    const float d = direction<kL2>(l2, parameter[i], gradient[i]);
    const float way = d - average[i];
    average[i] = kFromStart ? fma(weight, way, average[i]) : fma(weight - 1, way, d);
    square[i] = fma(square_weight * d, d, square[i] * beta2);
  }
}

template <bool kL2>
DDP_AVX2 void plain(const SgdUpdate& with, std::int64_t count, const float* __restrict gradient,
                    float* __restrict parameter) {
  const auto [l2, step_size] = with;
  for (std::int64_t i = 0; i < count; ++i) {
    parameter[i] = fma(direction<kL2>(l2, parameter[i], gradient[i]), step_size, parameter[i]);
  }
}

template <bool kL2, Momentum kKind>
DDP_AVX2 void with_momentum(const SgdUpdate& with, const SgdMomentum& momentum, std::int64_t count,
                            const float* __restrict gradient, float* __restrict buffer,
                            float* __restrict parameter) {
  const auto [l2, step_size] = with;
  const float factor = momentum.momentum;
  const float weight = momentum.gradient_weight;
  for (std::int64_t i = 0; i < count; ++i) {
    const float d = direction<kL2>(l2, parameter[i], gradient[i]);
    buffer[i] = fma(d, weight, buffer[i] * factor);
    const float ahead = kKind == Momentum::nesterov ? fma(buffer[i], factor, d) : buffer[i];
    parameter[i] = fma(ahead, step_size, parameter[i]);
  }
}

}  // namespace

bool available() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

void adam_moments(const AdamMoments& with, std::int64_t count, const float* parameter, const float* gradient,
                  float* average, float* square) {
  const bool from_start = with.lerp_weight < 0.5f;
  const auto run = with.l2 != 0 ? (from_start ? moments<true, true> : moments<true, false>)
                                : (from_start ? moments<false, true> : moments<false, false>);
  run(with, count, parameter, gradient, average, square);
}

DDP_AVX2 void adam_update(const AdamUpdate& with, std::int64_t count, const float* __restrict average,
                          const float* __restrict root, float* __restrict parameter) {
  const auto [keep, correction2, eps, step_size] = with;
  for (std::int64_t i = 0; i < count; ++i) {
    parameter[i] = parameter[i] * keep + step_size * average[i] / (root[i] / correction2 + eps);
  }
}

void sgd_update(const SgdUpdate& with, std::int64_t count, const float* gradient, float* parameter) {
  (with.l2 != 0 ? plain<true> : plain<false>)(with, count, gradient, parameter);
}

void sgd_momentum_update(const SgdUpdate& with, const SgdMomentum& momentum, std::int64_t count,
                         const float* gradient, float* buffer, float* parameter) {
  const bool ahead = momentum.kind == Momentum::nesterov;
  const auto run =
      with.l2 != 0
          ? (ahead ? with_momentum<true, Momentum::nesterov> : with_momentum<true, Momentum::classic>)
          : (ahead ? with_momentum<false, Momentum::nesterov> : with_momentum<false, Momentum::classic>);
  run(with, momentum, count, gradient, buffer, parameter);
}

}  // namespace ddp::trainer::simd
