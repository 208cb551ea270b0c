"""Waits of a test for what a run does by itself."""
import time


def eventually(look, seconds=300):
    """The first true value of look(); gives up after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        if time.monotonic() > deadline:
            raise AssertionError("gave up waiting")
        time.sleep(0.02)
    return found
