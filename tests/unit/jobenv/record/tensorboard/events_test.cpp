#include "jobenv/record/tensorboard/events.hpp"

#include <gtest/gtest.h>

#include "jobenv/record/tensorboard/protobuf_message.hpp"

namespace ddp::tensorboard {
namespace {

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    text += {kDigits[byte >> 4], kDigits[byte & 0xF]};
  }
  return text;
}

// The expected bytes are those that the messages of the Python package tensorboard 2.21 have, in records with
// its masked_crc32c.

TEST(TensorboardEvents, TheVersionIsTheFirstRecordOfAFile) {
  EXPECT_EQ(hex(render_version(1.5)),
            "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c");
}

TEST(TensorboardEvents, ARestartNamesTheStepThatIsDoneAgain) {
  EXPECT_EQ(hex(render_restart(1.5, 51)), "0f000000000000006d532b0909000000000000f83f10333a020801d99f0993");
}

TEST(TensorboardEvents, ScalarsOfOneStepAreOneRecord) {
  const std::vector<Scalar> scalars = {{"train/loss", 0.5}, {"train/accuracy", 0}};
  EXPECT_EQ(hex(render_scalars(1700000000.25, 300, scalars)),
            "3800000000000000a3797d570900001040fc54d94110ac022a2a0a110a0a747261696e2f6c6f737315000000"
            "3f0a150a0e747261696e2f61636375726163791500000000d078924f");
  const std::vector<Scalar> one = {{"a", -1e-3}};
  EXPECT_EQ(hex(render_scalars(2, 0, one)),
            "1500000000000000d6ab6b2b0900000000000000402a0a0a080a0161156f1283bacd2f9460");
}

TEST(TensorboardEvents, AnExperimentNamesHyperparametersAndMetrics) {
  const std::vector<Hyperparameter> parameters = {{"lr", 0.0}, {"model", "mlp"}};
  const std::vector<std::string> metrics = {"test/loss"};
  EXPECT_EQ(hex(render_experiment(8.5, "sweep-1", parameters, metrics)),
            "6800000000000000fe9c7ad40900000000000021402a5d0a5b0a145f68706172616d735f2f6578706572696d"
            "656e744a430a410a0768706172616d731236123419000000000000214022060a026c72200322090a056d6f64"
            "656c20012a0d0a0b1209746573742f6c6f7373320773776565702d311e7f54bb");
}

TEST(TensorboardEvents, ASessionHasTheValuesOfAPointAndItsEnd) {
  const std::vector<Hyperparameter> parameters = {{"lr", 0.0}, {"model", "mlp"}, {"on", false}};
  EXPECT_EQ(hex(render_session_start(9.5, "sweep-1/0", parameters)),
            "7b000000000000001bf7cfce0900000000000023402a700a6e0a1c5f68706172616d735f2f73657373696f6e"
            "5f73746172745f696e666f4a4e0a4c0a0768706172616d7312411a3f0a0f0a026c7212091100000000000000"
            "000a0e0a056d6f64656c12051a036d6c700a080a026f6e12022000220973776565702d312f30290000000000"
            "0023408cf9b29b");
  EXPECT_EQ(hex(render_session_end(10.5, SessionEnd::failure)),
            "4500000000000000ebe668b00900000000000025402a3a0a380a1a5f68706172616d735f2f73657373696f6e"
            "5f656e645f696e666f4a1a0a180a0768706172616d73120d220b08021100000000000025404e40bba8");
}

TEST(ProtobufMessage, LargeIntegersHaveSevenBitsPerByte) {
  EXPECT_EQ(hex(ProtobufMessage().integer(1, 0).bytes()), "0800");
  EXPECT_EQ(hex(ProtobufMessage().integer(1, 300).bytes()), "08ac02");
  EXPECT_EQ(hex(ProtobufMessage().integer(2, ~std::uint64_t{0}).bytes()), "10ffffffffffffffffff01");
  EXPECT_EQ(hex(ProtobufMessage().integer(16, 1).bytes()), "800101");
}

}  // namespace
}  // namespace ddp::tensorboard
