#include "trainer/checkpoint/format/joined_tensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ddp::trainer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A piece of the tensor "w" of bytes.
TensorEntry piece_of_w(std::vector<std::int64_t> shape, std::vector<std::int64_t> offsets) {
  return {.name = "w",
          .dtype = "U8",
          .shape = std::move(shape),
          .begin = 0,
          .end = 6,
          .offsets = std::move(offsets)};
}

TensorEntry rows_of_w(std::int64_t first, std::int64_t rows) {
  return piece_of_w({rows, 3}, {first, 0});
}

/// Each of the pieces is in a file of its own: a, b, c.
JoinedTensors join_pieces(const std::vector<TensorEntry>& pieces) {
  std::vector<TensorHeader> headers;
  for (const auto& piece : pieces)
    headers.push_back({std::string(1, static_cast<char>('a' + headers.size())), {piece}});
  return join_tensors(headers);
}

std::string fault_of_pieces(const std::vector<TensorEntry>& pieces) {
  const auto joined = join_pieces(pieces);
  if (joined.faults.size() != 1) return std::to_string(joined.faults.size()) + " faults";
  EXPECT_THAT(joined.tensors, IsEmpty());
  return render_fault(joined.faults.front());
}

TEST(JoinedTensorsTest, PiecesMakeAWholeInAnyOrder) {
  const auto joined = join_pieces({rows_of_w(5, 2), rows_of_w(0, 1), rows_of_w(1, 4)});
  EXPECT_THAT(joined.faults, IsEmpty());
  ASSERT_EQ(joined.tensors.size(), 1u);
  const auto& w = joined.tensors.front();
  EXPECT_EQ(w.name, "w");
  EXPECT_EQ(w.dtype, "U8");
  EXPECT_THAT(w.shape, ElementsAre(7, 3));
  EXPECT_THAT(w.pieces, ElementsAre(TensorPiece{.file = 1, .first = 0, .rows = 1, .begin = 0, .end = 6},
                                    TensorPiece{.file = 2, .first = 1, .rows = 4, .begin = 0, .end = 6},
                                    TensorPiece{.file = 0, .first = 5, .rows = 2, .begin = 0, .end = 6}));
  EXPECT_EQ(w.elements(), 21u);
  EXPECT_EQ(w.bytes(), 18u);
}

TEST(JoinedTensorsTest, TensorsWithoutDimensionsOrRows) {
  const auto scalar = join_pieces({piece_of_w({}, {})});
  ASSERT_EQ(scalar.tensors.size(), 1u);
  EXPECT_THAT(scalar.tensors[0].shape, IsEmpty());
  EXPECT_EQ(scalar.tensors[0].pieces.front().rows, 1);
  const auto empty = join_pieces({rows_of_w(0, 2), rows_of_w(0, 0)});
  EXPECT_THAT(empty.faults, IsEmpty());
  EXPECT_THAT(empty.tensors.at(0).shape, ElementsAre(2, 3));
}

TEST(JoinedTensorsTest, RowsThatAreMissingOrThereTwice) {
  EXPECT_EQ(fault_of_pieces({rows_of_w(2, 1)}),
            "a holds rows of tensor 'w' from 2 on, but no shard holds rows 0 to 1");
  EXPECT_EQ(fault_of_pieces({rows_of_w(0, 2), rows_of_w(4, 3)}),
            "b holds rows of tensor 'w' from 4 on, but no shard holds rows 2 to 3");
  EXPECT_EQ(fault_of_pieces({rows_of_w(0, 4), rows_of_w(3, 4)}),
            "b holds rows of tensor 'w' that another shard holds, too: row 3");
  EXPECT_EQ(fault_of_pieces({piece_of_w({}, {}), piece_of_w({}, {})}),
            "b holds rows of tensor 'w' that another shard holds, too: row 0");
}

TEST(JoinedTensorsTest, PiecesThatAreNotRowsOfOneTensor) {
  const auto fault_of_second = [](TensorEntry second) {
    return fault_of_pieces({rows_of_w(0, 2), std::move(second)});
  };
  const std::string of_another =
      "b holds a piece of tensor 'w' with another type or number of dimensions than in a";
  const std::string no_rows = "b holds a piece of tensor 'w' that is not a number of whole rows";
  auto wider = rows_of_w(2, 1);
  wider.dtype = "F32";
  EXPECT_EQ(fault_of_second(wider), of_another);
  EXPECT_EQ(fault_of_second(piece_of_w({1}, {2})), of_another);
  EXPECT_EQ(fault_of_second(piece_of_w({}, {})), of_another);
  EXPECT_EQ(fault_of_second(piece_of_w({1, 4}, {2, 0})), no_rows);
  EXPECT_EQ(fault_of_second(piece_of_w({1, 3}, {2, 1})), no_rows);
}

TEST(JoinedTensorsTest, TellsOneFaultOfEachTensor) {
  auto v = rows_of_w(1, 1);
  v.name = "v";
  auto u = rows_of_w(0, 1);
  u.name = "u";
  const auto joined = join_tensors({{"a", {rows_of_w(1, 1), v, u}}, {"b", {rows_of_w(3, 1)}}});
  EXPECT_EQ(joined.faults.size(), 2u);
  ASSERT_EQ(joined.tensors.size(), 1u);
  EXPECT_EQ(joined.tensors.front().name, "u");
}

}  // namespace
}  // namespace ddp::trainer
