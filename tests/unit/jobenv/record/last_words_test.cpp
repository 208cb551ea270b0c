#include "jobenv/record/last_words.hpp"

#include <gtest/gtest.h>

namespace ddp {
namespace {

TEST(LastWords, AreTheLastLineThatIsNotBlank) {
  EXPECT_EQ(find_last_words("loading the data\nno such file: data.bin\n"), "no such file: data.bin");
  EXPECT_EQ(find_last_words("terminate called\n  what():  out of range\n \t\n\n"), "what():  out of range");
  EXPECT_EQ(find_last_words(""), "");
  EXPECT_EQ(find_last_words("\n  \r\n"), "");
}

TEST(LastWords, AreTheExceptionOfPython) {
  EXPECT_EQ(find_last_words("Traceback (most recent call last):\n"
                            "  File \"train.py\", line 7, in <module>\n"
                            "    step()\n"
                            "RuntimeError: CUDA error: device-side assert triggered\n"
                            "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"),
            "RuntimeError: CUDA error: device-side assert triggered");
  EXPECT_EQ(find_last_words("Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'\n\n"
                            "During handling of the above exception, another exception occurred:\n\n"
                            "Traceback (most recent call last):\n  File \"a.py\"\nValueError: no 'x'\n"),
            "ValueError: no 'x'");
  EXPECT_EQ(
      find_last_words(" 45%|####    | 45/100Traceback (most recent call last):\n  File \"a.py\"\nOSError\n"),
      "OSError");
}

TEST(LastWords, OfAProgramThatGoesOnMayBeAnExceptionAlone) {
  EXPECT_EQ(find_exception("Traceback (most recent call last):\n  File \"a.py\"\nOSError\nwaiting\n"),
            "OSError");
  EXPECT_EQ(find_exception("step 7\n"), "");
}

TEST(LastWords, AreNotThoseThatPyTorchAddsWhenAProcessEnds) {
  EXPECT_EQ(find_last_words("[rank1]: Traceback (most recent call last):\n"
                            "[rank1]:   File \"train.py\", line 7, in <module>\n"
                            "[rank1]: torch.OutOfMemoryError: CUDA out of memory.\n"
                            "[rank1]:[W1127 10:11:12.13 ProcessGroupNCCL.cpp:1496] Warning: not destroyed\n"),
            "torch.OutOfMemoryError: CUDA out of memory.");
  EXPECT_EQ(find_last_words("no data\n[W1127 10:11:12.13 socket.cpp:1] Warning: closed\n"), "no data");
  EXPECT_EQ(find_last_words("[W1127 10:11:12.13 socket.cpp:1] Warning: closed\n"), "");
  EXPECT_EQ(find_last_words("[rank] is no mark\n"), "[rank] is no mark");
}

TEST(LastWords, AreNotRulesOfBannersNorTheDelayOfOpenMpi) {
  EXPECT_EQ(find_last_words(
                "--------\nno more memory\n--------\n[node1:00445] Delaying for 1 seconds before aborting\n"),
            "no more memory");
  EXPECT_EQ(find_last_words("--------\n"), "");
}

TEST(LastWords, OfATracebackThatIsCutAreTheLastLine) {
  EXPECT_EQ(find_last_words("Traceback (most recent call last):\n  File \"a.py\"\n    step()"), "step()");
  EXPECT_EQ(find_last_words("  File \"a.py\"\n    step()\nValueError: 3\n"), "ValueError: 3");
}

TEST(LastWords, OfAMessageOfTheTrainerAreItsFirstLine) {
  EXPECT_EQ(find_last_words("loading\n[rank 0] 'step-2-a0' cannot be used: a file is missing\n"
                            "  give a run folder\n"),
            "[rank 0] 'step-2-a0' cannot be used: a file is missing");
  EXPECT_EQ(find_last_words(
                "error: 'x' is not a key\n --> train.yaml:3:5\n  |\n 3 |   x: 1\n  |   ^ help: remove it\n"),
            "error: 'x' is not a key");
  EXPECT_EQ(find_last_words("[rank 0] step 7\nno such file: data.bin\n"), "no such file: data.bin");
  EXPECT_EQ(find_last_words("[rank x] failed\n  because\n"), "because");
}

TEST(LastWords, AreOneLineWithoutControlCharacters) {
  EXPECT_EQ(find_last_words("10%\r20%\r\x1b[31mfailed:\x1b[0m\ta\x07z\xc2\x9b!\r\n"), "failed: a z !");
  EXPECT_EQ(find_last_words("größer\n"), "größer");
}

TEST(LastWords, AreNotLong) {
  EXPECT_EQ(find_last_words(std::string(200, 'x')), std::string(200, 'x'));
  EXPECT_EQ(find_last_words(std::string(201, 'x')), std::string(200, 'x') + "…");
  EXPECT_EQ(find_last_words(std::string(199, 'x') + "ö"), std::string(199, 'x') + "…") << "no half character";
}

}  // namespace
}  // namespace ddp
