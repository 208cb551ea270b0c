"""The time of the rendezvous of 64, 256 and 1,024 ranks, from the first connection until every rank knows that all ranks are there. The ranks are
simulated by threads on one machine.

Each rank connects to the store, compares the nonce, publishes its address and waits for the others (tests/bench/store_clients.cpp). This takes a few
round trips per rank. As long as the store keeps up, twice as many ranks take twice as long.
"""

from harness.bench import in_turns
from harness.rows import Growth

CLIENTS = [64, 256, 1024]


def measure(bench):
    program = bench.bin / "store_clients"
    taken = in_turns(bench, {f"{clients} clients": lambda _turn, clients=clients: float(bench.run(program, clients).stdout) for clients in CLIENTS})
    return [Growth("time of a rendezvous over the store", "ms", "ranks", [(clients, taken[f"{clients} clients"]) for clients in CLIENTS])]
