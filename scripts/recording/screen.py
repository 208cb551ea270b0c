"""The screen of a terminal: what a program prints, as rows of cells. It knows what the programs of a recording use."""

import re

COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
BLANK = (" ", "")
# A sequence that is whole: CSI, OSC, another escape, or one character.
TOKEN = re.compile(r"\x1b\[([?0-9;]*)([@-~])|\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b([^\[\]])|([^\x1b])", re.DOTALL)


class Screen:
    """`lines` holds every row since the last clear; the last `rows` of them are visible.

    `pages` holds the rows of the pages that were cleared before, so that (page, line) names a row for good.
    """

    def __init__(self, columns, rows, on_message=lambda _text: None):
        self.columns, self.rows = columns, rows
        self.on_message = on_message  # called with the text of each OSC sequence
        self.page = 0
        self.rest = ""
        self.style = ""
        self._clear()

    def _clear(self):
        self.lines = [[]]
        self.row = self.column = 0

    @property
    def top(self):
        """The number of the first visible line."""
        return max(0, len(self.lines) - self.rows)

    def feed(self, text):
        text = self.rest + text
        end = 0
        while match := TOKEN.match(text, end):
            end = match.end()
            self._take(*match.groups())
        self.rest = text[end:]

    def _take(self, parameters, final, message, _other, character):
        if character is not None:
            self._print(character)
        elif final is not None:
            self._control(final, [int(part) if part.isdigit() else 0 for part in parameters.split(";")])
        elif message is not None:
            self.on_message(message)

    def _print(self, character):
        if character == "\n":
            self._go_down()
        elif character == "\r":
            self.column = 0
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character == "\t":
            self.column = min(self.columns - 1, (self.column // 8 + 1) * 8)
        elif character >= " ":
            self._put(character)

    def _go_down(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append([])

    def _put(self, character):
        if self.column == self.columns:
            self.column = 0
            self._go_down()
        line = self.lines[self.row]
        line += [BLANK] * (self.column + 1 - len(line))
        line[self.column] = (character, self.style)
        self.column += 1

    def _control(self, final, numbers):
        count = max(1, numbers[0])
        if final == "m":
            self._set_style(numbers)
        elif final == "K":
            self._erase(numbers[0])
        elif final == "J" and numbers[0] >= 2:
            self.page += 1
            self._clear()
        elif final == "J":
            self._erase(0)
            del self.lines[self.row + 1 :]
        elif final == "A":
            self.row = max(self.top, self.row - count)
        elif final == "C":
            self.column = min(self.columns - 1, self.column + count)
        elif final == "D":
            self.column = max(0, self.column - count)
        elif final == "G":
            self.column = min(self.columns, count) - 1

    def _erase(self, part):
        line = self.lines[self.row]
        if part == 0:
            del line[self.column :]
        else:
            line[: self.column if part == 1 else None] = [BLANK] * (self.column if part == 1 else 0)

    def _set_style(self, numbers):
        styles = set(self.style.split())
        for number in numbers:
            if number == 0:
                styles = set()
            elif number in (1, 2):
                styles.add("bold" if number == 1 else "dim")
            elif number == 22:
                styles -= {"bold", "dim"}
            elif number == 39 or 30 <= number <= 37 or 90 <= number <= 97:
                styles -= set(COLOURS)
                styles |= {COLOURS[number % 10]} if number != 39 else set()
        self.style = " ".join(sorted(styles))
