#include "jobenv/agent/stack/stack_text.hpp"

#include <gtest/gtest.h>

namespace ddp::agent {
namespace {

TEST(StackText, PySpyTellsTheMainThread) {
  EXPECT_EQ(parse_py_spy("Process 2710: python train.py\n"
                         "Python v3.11.2 (/usr/bin/python3.11)\n"
                         "\n"
                         "Thread 2715 (idle): \"Thread-1 (watch)\"\n"
                         "    wait (threading.py:320)\n"
                         "Thread 2710 (idle): \"MainThread\"\n"
                         "    all_reduce (torch/distributed/distributed_c10d.py:3075)\n"
                         "    <module> (train.py:11)\n"
                         "Thread 2720 (active): \"Thread-2\"\n"
                         "    run (other.py:1)\n"),
            (Frames{"all_reduce (torch/distributed/distributed_c10d.py:3075)", "<module> (train.py:11)"}));
}

TEST(StackText, FaulthandlerTellsTheThreadThatTookTheSignal) {
  EXPECT_EQ(parse_faulthandler(
                "Thread 0x00007f01 (most recent call first):\n"
                "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n"
                "\n"
                "Current thread 0x00007f02 (most recent call first):\n"
                "  File \"/opt/v/lib/python3.11/site-packages/torch/autograd/graph.py\", line 865 in "
                "_engine_run_backward\n"
                "  File \"/home/me/train.py\", line 11 in <module>\n"),
            (Frames{"_engine_run_backward (torch/autograd/graph.py:865)", "<module> (train.py:11)"}));
}

TEST(StackText, EuStackTellsCallsWithANameAlone) {
  EXPECT_EQ(parse_eu_stack("PID 2710 - process\n"
                           "TID 2710:\n"
                           "#0  0x00007f9447fe1f16     __futex_abstimed_wait_common\n"
                           "#1  0x00007f9447fe45d8 - 1 pthread_cond_wait@@GLIBC_2.3.2\n"
                           "#2  0x0000000000547b96\n"
                           "#3  0x00007f93b60b1a9b c10d::Work::wait(std::chrono::duration<long>)\n"),
            (Frames{"__futex_abstimed_wait_common", "pthread_cond_wait", "c10d::Work::wait"}));
}

TEST(StackText, GdbTellsCallsWithANameAlone) {
  EXPECT_EQ(
      parse_gdb("[Thread debugging using libthread_db enabled]\n"
                "#0  0x00007f9447fe1f16 in __futex_abstimed_wait_common64 (private=0) at ./nptl/futex.c:57\n"
                "#1  __futex_wait (x=1) at ./nptl/futex.c:87\n"
                "#2  0x0000000000547b96 in ?? ()\n"
                "#3  0x00007f93b60b1a9b in c10d::Work::wait(std::chrono::duration<long>) () from lib.so\n"
                "[Inferior 1 (process 2710) detached]\n"),
      (Frames{"__futex_abstimed_wait_common64", "__futex_wait", "c10d::Work::wait"}));
}

TEST(StackText, WhatIsNoStackHasNoFrames) {
  for (const auto* text : {"", "Error: Permission denied", "#", "#x y", "Thread 1 \"MainThread\"\n"}) {
    EXPECT_TRUE(parse_py_spy(text).empty()) << text;
    EXPECT_TRUE(parse_faulthandler(text).empty()) << text;
    EXPECT_TRUE(parse_eu_stack(text).empty()) << text;
    EXPECT_TRUE(parse_gdb(text).empty()) << text;
  }
}

}  // namespace
}  // namespace ddp::agent
