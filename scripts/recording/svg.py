"""An animated picture of frames: SVG with CSS keyframes, without scripts.

All rows of all pages lie below each other on one long sheet, of which the window shows a part. A piece of a row is one element
for as long as its cells stay what they are. Without animation the picture is the last frame.
"""

from dataclasses import dataclass
from itertools import groupby
from xml.sax.saxutils import escape

FONT_SIZE, CELL, LINE = 14, 8.43, 20
MARGIN, BAR = 18, 40  # around the text; height of the title bar
LAST_HOLD = 6.0  # seconds that the last frame is shown before the first comes again

STYLE = """
svg{--back:#fff;--bar:#f6f8fa;--edge:#d0d7de;--text:#1f2328;--faint:#59636e;--red:#cf222e;--green:#116329;--yellow:#7d4e00;--blue:#0969da;
--magenta:#8250df;--cyan:#1b7c83}
@media (prefers-color-scheme:dark){svg{--back:#0d1117;--bar:#161b22;--edge:#3d444d;--text:#e6edf3;--faint:#9198a1;--red:#ff7b72;--green:#3fb950;
--yellow:#d29922;--blue:#58a6ff;--magenta:#bc8cff;--cyan:#39c5cf}}
text{font:%dpx ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:var(--text);white-space:pre}
.caption{font:600 14px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;text-anchor:middle}
.window{fill:var(--back);stroke:var(--edge)}.bar{fill:var(--bar)}.edge{stroke:var(--edge)}.cursor{fill:var(--text);opacity:.55}
.bold{font-weight:700}.dim,.black,.white{fill:var(--faint)}.red{fill:var(--red)}.green{fill:var(--green)}.yellow{fill:var(--yellow)}
.blue{fill:var(--blue)}.magenta{fill:var(--magenta)}.cyan{fill:var(--cyan)}
.gone{visibility:hidden}
""" % FONT_SIZE
STILL = "@media (prefers-reduced-motion:reduce){*{animation:none!important}}"


@dataclass
class Piece:
    """Cells of a row from a column on, shown from one time to another; None: to the end."""

    row: int
    column: int
    cells: tuple
    begin: float
    end: float | None = None


def sheet_starts(frames):
    """Of each page: the row of the sheet on which it begins."""
    heights = {}
    for frame in frames:
        heights[frame.page] = max(heights.get(frame.page, 0), len(frame.lines))
    starts, row = {}, 0
    for page in sorted(heights):
        starts[page] = row
        row += heights[page] + 100  # so that no window shows two pages
    return starts


def pieces_of(frames):
    """What is to be drawn on the sheet."""
    starts, shown, pieces = sheet_starts(frames), {}, []
    for frame in frames:
        start = starts[frame.page]
        rows = {start + number: line for number, line in enumerate(frame.lines)}
        gone = {row for row in shown if row >= start} - set(rows)  # rows of the page that are no longer there
        for row in sorted(gone | set(rows)):
            pieces += change_row(shown.setdefault(row, []), row, rows.get(row, ()), frame.time)
    return pieces


def change_row(live, row, cells, time):
    """Ends the pieces of a row that have changed, and returns the new ones."""
    kept, kept_pieces = 0, []
    for piece in live:
        stop = piece.column + len(piece.cells)
        if piece.column == kept and tuple(cells[piece.column : stop]) == piece.cells:
            kept_pieces.append(piece)
            kept = stop
        else:
            piece.end = time
    live[:] = kept_pieces
    if kept == len(cells):
        return []
    piece = Piece(row, kept, tuple(cells[kept:]), time)
    live.append(piece)
    return [piece]


class Animations:
    """Names the keyframes; those that are equal share a name."""

    def __init__(self, length):
        self.length = length
        self.names = {}

    def name(self, steps):
        """`steps`: (time, declaration), each of which holds until the next one."""
        body = "".join(f"{self._percent(time)}{{{declaration}}}" for time, declaration in steps)
        return self.names.setdefault(body, f"k{len(self.names)}")

    def visible(self, begin, end):
        """Attributes of an element that is shown from one time to another; None: to the end."""
        if begin <= 0 and end is None:
            return ""
        steps = [] if begin <= 0 else [(0, "visibility:hidden")]
        steps.append((begin, "visibility:visible"))
        steps += [] if end is None else [(end, "visibility:hidden")]
        name = self.name(steps)
        return f' class="{name}"' if end is None else f' class="{name} gone"'

    def css(self):
        return "".join(f".{name}{{animation:{name} {self.length:.2f}s step-end infinite}}@keyframes {name}{{{body}}}\n"
                       for body, name in self.names.items())

    def _percent(self, time):
        return f"{100 * time / self.length:.3f}".rstrip("0").rstrip(".") + "%"


def draw_piece(piece, animations):
    runs, column = [], piece.column
    for style, group in groupby(piece.cells, key=lambda cell: cell[1]):
        text = "".join(character for character, _ in group)
        runs.append((column, style, text))
        column += len(text)
    texts = "".join(draw_text(piece.row, column, style, text) for column, style, text in runs if text.strip())
    return f"<g{animations.visible(piece.begin, piece.end)}>{texts}</g>\n" if texts else ""


def draw_text(row, column, style, text):
    column += len(text) - len(text.lstrip())
    text = text.strip()
    of_style = f' class="{style}"' if style else ""
    return (f'<text x="{column * CELL:.1f}" y="{row * LINE + 15}" textLength="{len(text) * CELL:.1f}"'
            f' lengthAdjust="spacingAndGlyphs"{of_style}>{escape(text)}</text>')


def moves(frames, position):
    """(time, transform) for each time at which a position changes."""
    steps, last = [], None
    for frame in frames:
        x, y = position(frame)
        if (x, y) != last:
            steps.append((frame.time, f"transform:translate({x:.1f}px,{y}px)"))
            last = x, y
    return steps


def moving(steps, animations):
    """Attributes of an element that follows these steps, and stays at the last without animation."""
    name = animations.name([(0, steps[0][1]), *steps[1:]])
    return f'class="{name}" style="{steps[-1][1]}"'


def captions(frames):
    """(text, begin, end) of each; the last has no end."""
    found = []
    for frame in frames:
        if not found or found[-1][0] != frame.caption:
            found.append((frame.caption, frame.time))
    ends = [begin for _, begin in found[1:]] + [None]
    return [(text, begin, end) for (text, begin), end in zip(found, ends) if text]


def render(frames, columns, rows, title, description):
    """The picture as text."""
    animations = Animations(frames[-1].time + LAST_HOLD)
    starts = sheet_starts(frames)
    width, height = round(columns * CELL) + 2 * MARGIN, BAR + rows * LINE + 2 * MARGIN - 6
    shift = moving(moves(frames, lambda frame: (0, -LINE * (starts[frame.page] + frame.top))), animations)
    cursor = moving(moves(frames, lambda frame: (CELL * frame.cursor[1], LINE * (starts[frame.page] + frame.cursor[0]))), animations)
    drawn = "".join(draw_piece(piece, animations) for piece in pieces_of(frames))
    heads = "".join(f'<g{animations.visible(begin, end)}><text class="caption" x="{width / 2:g}" y="25">{escape(text)}</text></g>\n'
                    for text, begin, end in captions(frames))
    lights = "".join(f'<circle cx="{20 + 18 * number}" cy="20" r="5.5" fill="{colour}"/>' for number, colour in enumerate(["#ff5f57", "#febc2e", "#28c840"]))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">
<title>{escape(title)}</title>
<desc>{escape(description)}</desc>
<style>{STYLE}{animations.css()}{STILL}</style>
<rect class="window" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9"/>
<path class="bar" d="M1 {BAR}V9.5a8.5 8.5 0 0 1 8.5-8.5H{width - 9.5}a8.5 8.5 0 0 1 8.5 8.5V{BAR}z"/><path class="edge" d="M1 {BAR}.5H{width - 1}"/>
{lights}
{heads}<svg x="{MARGIN}" y="{BAR + MARGIN - 4}" width="{width - 2 * MARGIN + 2}" height="{rows * LINE}">
<g {shift}>
<g {cursor}><rect class="cursor" y="1" width="{CELL}" height="18"/></g>
{drawn}</g>
</svg>
</svg>
"""
