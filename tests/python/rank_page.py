"""The agent's side of a rank's page."""
import fcntl
import os
import struct

F_ADD_SEALS, F_SEAL_SHRINK = 1033, 2
SIZE = 4096
NO_STOP = 2**63 - 1
HOLD = 0


class RankPage:
    """A fresh page in a memfd, as ddp-agent makes it. Offsets are those of ddpsubmit.h."""

    def __init__(self, version=4, size=SIZE):
        self.descriptor = os.memfd_create('page', os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size)
        fcntl.fcntl(self.descriptor, F_ADD_SEALS, F_SEAL_SHRINK)
        self._write('I', 0, version)
        self._write('Q', 8, 2**64 - 1)
        self.set_stop_step(NO_STOP)

    def close(self):
        os.close(self.descriptor)

    def set_stop_step(self, step):
        self._write('Q', 48, step)

    def request_stop(self, signal):
        self._write('I', 16, signal)

    @property
    def phase(self):
        number = self._read('I', 4)
        known = ['start', 'step', 'checkpoint', 'evaluate', 'done']
        return known[number] if number < len(known) else self._text(64 + 32 * (number - len(known)), 32)

    @property
    def step(self):
        return self._read('Q', 8)

    @property
    def parts(self):
        return self._read('Q', 24)

    @property
    def waits(self):
        return self._read('I', 32)

    @property
    def uses(self):
        return self._read('I', 36)

    @property
    def first_step(self):
        return self._read('Q', 1608)

    @property
    def total(self):
        return self._read('Q', 40)

    @property
    def metrics(self):
        return {self._text(584 + 32 * index, 24): self._read('d', 584 + 32 * index + 24) for index in range(self._read('I', 580))}

    def _text(self, at, size):
        return os.pread(self.descriptor, size, at).split(b'\0')[0].decode()

    def _read(self, kind, at):
        return struct.unpack('=' + kind, os.pread(self.descriptor, struct.calcsize(kind), at))[0]

    def _write(self, kind, at, value):
        os.pwrite(self.descriptor, struct.pack('=' + kind, value), at)
