"""Prints what a call of ddpsubmit.step() and one of should_stop() take together, in microseconds: a loop of them, less an empty one."""

import sys
import time

import ddpsubmit

calls = int(sys.argv[1])
began = time.perf_counter()
for _ in range(1, calls + 1):
    pass
empty = time.perf_counter() - began
began = time.perf_counter()
for n in range(1, calls + 1):
    ddpsubmit.step(n)
    ddpsubmit.should_stop()
print((time.perf_counter() - began - empty) / calls * 1e6)
