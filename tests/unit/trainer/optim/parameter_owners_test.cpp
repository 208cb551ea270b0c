#include "trainer/optim/parameter_owners.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

NamedTensors of_sizes(const std::vector<std::int64_t>& sizes) {
  NamedTensors parameters;
  for (const auto size : sizes)
    parameters.emplace_back(std::to_string(parameters.size()), at::zeros({size}).set_requires_grad(true));
  return parameters;
}

using Owners = std::vector<int>;

TEST(AssignOwners, GivesTheLargestFirstToWhoHasLeast) {
  EXPECT_EQ(assign_owners(of_sizes({3, 5, 4, 2}), 2), (Owners{1, 0, 1, 0}));
  EXPECT_EQ(assign_owners(of_sizes({10, 1, 1, 1}), 3), (Owners{0, 1, 2, 1}));
}

TEST(AssignOwners, LeavesRanksWithoutWhereThereAreFewer) {
  EXPECT_EQ(assign_owners(of_sizes({2, 3}), 4), (Owners{1, 0}));
  EXPECT_EQ(assign_owners(of_sizes({2, 3}), 1), (Owners{0, 0}));
}

TEST(AssignOwners, CountsBytes) {
  NamedTensors parameters = of_sizes({3, 3});
  parameters.emplace_back("wide", at::zeros({2}, at::kDouble).set_requires_grad(true));
  EXPECT_EQ(assign_owners(parameters, 2), (Owners{1, 1, 0}));
}

TEST(AssignOwners, DoesNotCountWhatIsFrozen) {
  NamedTensors parameters = of_sizes({9, 3, 2});
  parameters[0].second.set_requires_grad(false);
  EXPECT_EQ(assign_owners(parameters, 2), (Owners{1, 0, 1}));
}

TEST(AssignOwners, KeepsTheNamesOfATensorTogether) {
  NamedTensors parameters = of_sizes({4, 3, 2});
  parameters.emplace_back("again", parameters[1].second);
  const auto owners = assign_owners(parameters, 2);
  EXPECT_EQ(owners[3], owners[1]);
  EXPECT_EQ(owners, (Owners{0, 1, 1, 1}));
}

}  // namespace
}  // namespace ddp::trainer
