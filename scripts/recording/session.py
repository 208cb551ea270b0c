"""Plays the lines of a session file in a real terminal, and keeps what its screen shows at which time."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass, field, replace

from screen import Screen

KEY_PAUSE = 0.045  # seconds from one typed character to the next
LOOK_PAUSE = 0.04  # what is printed within this time is one frame
LONGEST_GAP = 1.2  # seconds without a change that are shown; a longer gap is shortened to this
LONGEST_COMMAND = 120  # seconds that a command may take
READY = "ready"  # what the prompt tells the recorder, with the exit status of the command before


class SessionError(Exception):
    """A session that cannot be recorded."""


@dataclass(frozen=True)
class Frame:
    time: float
    caption: str
    page: int
    top: int  # first visible line of the page
    lines: tuple  # of the page, each a tuple of cells
    cursor: tuple  # (line, column)


@dataclass
class Player:
    folder: str
    programs: str  # a folder that is put in front of PATH
    columns: int
    rows: int
    frames: list = field(default_factory=list)
    caption: str = ""
    watches: list = field(default_factory=list)  # (text, function, its argument): see `at`

    def play(self, lines):
        self._start()
        try:
            self._wait_for_prompt()
            for number, line in enumerate(lines, 1):
                verb, _, rest = line.strip().partition(" ")
                if verb and not verb.startswith("#"):
                    self._perform(number, verb, rest.strip())
        finally:
            self._stop()
        return self.frames

    def _perform(self, number, verb, rest):
        verbs = {"caption": self._set_caption, "hold": self._hold, "at": self._add_watch,
                 "type": lambda text: self._type(text, fails=False), "fail": lambda text: self._type(text, fails=True)}
        if verb not in verbs:
            raise SessionError(f"line {number}: '{verb}' is not one of {', '.join(verbs)}")
        try:
            verbs[verb](rest)
        except SessionError as error:
            raise SessionError(f"line {number}: {error}") from None

    def _set_caption(self, text):
        self.caption = text
        self._keep_frame()

    def _hold(self, seconds):
        self._pass_time(float(seconds))
        self._keep_frame(even_if_equal=True)

    def _add_watch(self, rest):
        """at "TEXT" caption|run ARGUMENT: does that as soon as the next command that is typed shows TEXT."""
        match = re.fullmatch(r'"(.+?)" (caption|run) (.+)', rest)
        if not match:
            raise SessionError(f"'at {rest}' is not: at \"TEXT\" caption|run ARGUMENT")
        text, verb, argument = match.groups()
        self.watches.append((text, self._set_caption if verb == "caption" else self._run, argument))

    def _type(self, text, fails):
        self.status = None
        for character in text:
            os.write(self.terminal, character.encode())
            self._look(KEY_PAUSE)
        self._pass_time(0.4)
        os.write(self.terminal, b"\n")
        self._wait_for_prompt()
        if (self.status != 0) != fails:
            raise SessionError(f"'{text}' ended with {self.status}:\n{self.shown()}")

    def shown(self):
        return "\n".join("".join(character for character, _ in line) for line in self.screen.lines)

    def _start(self):
        self.clock = self.last_look = 0.0
        self.status = None
        self.screen = Screen(self.columns, self.rows, self._take_message)
        self.environment = {
            "PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin", "HOME": self.folder, "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "PS1": rf"\[\e]{READY} $?\a\e[1;32m\]$\[\e[0m\] ", "PWD": self.folder}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(self.folder)
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], self.environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))

    def _stop(self):
        os.close(self.terminal)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)

    def _take_message(self, text):
        name, _, status = text.partition(" ")
        if name == READY:
            self.status = int(status)

    def _wait_for_prompt(self):
        end = time.monotonic() + LONGEST_COMMAND
        while self.status is None:
            if time.monotonic() > end:
                raise SessionError(f"no prompt within {LONGEST_COMMAND} s:\n{self.shown()}")
            self._look(LOOK_PAUSE)
            self._act_on_watches()
        self._look(LOOK_PAUSE)
        if self.watches:
            raise SessionError(f"the screen never showed '{self.watches[0][0]}':\n{self.shown()}")

    def _act_on_watches(self):
        shown = self.shown()
        for watch in [watch for watch in self.watches if watch[0] in shown]:
            self.watches.remove(watch)
            _, act, argument = watch
            act(argument)

    def _run(self, command):
        """In another shell, beside the terminal."""
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment)
        if done.returncode != 0:
            raise SessionError(f"'{command}' ended with {done.returncode}")

    def _look(self, seconds):
        """Takes what is printed within so many seconds, and lets that time pass."""
        end = time.monotonic() + seconds
        printed = b""
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                printed += self._read()
        self.last_look += seconds
        if printed:
            self.screen.feed(printed.decode(errors="replace"))
            self._pass_time(min(self.last_look, LONGEST_GAP))
            self._keep_frame()

    def _read(self):
        try:
            return os.read(self.terminal, 65536)
        except OSError:
            raise SessionError(f"the shell has ended:\n{self.shown()}") from None

    def _pass_time(self, seconds):
        self.clock += seconds
        self.last_look = 0.0

    def _keep_frame(self, even_if_equal=False):
        screen = self.screen
        frame = Frame(self.clock, self.caption, screen.page, screen.top, tuple(map(tuple, screen.lines)), (screen.row, screen.column))
        if even_if_equal or not self.frames or frame != replace(self.frames[-1], time=frame.time):
            self.frames.append(frame)
