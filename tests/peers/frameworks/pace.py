"""Steps take their time in the first attempt, which a test stops; the others end soon."""
import os
import time

FIRST = os.environ["DDPSUBMIT_ATTEMPT"] == "0"


def pause():
    if FIRST:
        time.sleep(0.2)
