# Programs on a pseudo-terminal.

# on_terminal COLUMNS COMMAND: runs COMMAND of a shell on a terminal of that width, and prints what it has written to it.
on_terminal() { TERM=xterm script -qec "stty cols $1; $2" /dev/null </dev/null; }

# remains_of FILE: the lines that stand on the terminal in the end, of what was written to it: what was erased is not among them.
remains_of() { sed 's/.*\r\x1b\[K//; s/\r$//' "$1"; }

# drawn_on FILE: the texts of all last lines that were drawn, and what took their place.
drawn_on() { sed 's/\r\x1b\[K/\n/g; s/\r$//' "$1"; }

# has_progress FILE [FIELDS]: was a progress line drawn, with FIELDS behind the time that is left?
has_progress() { drawn_on "$1" | grep -qE "^(\[#*\.*\] )?[0-9]+%  step [0-9]+/[0-9]+  [0-9:]+ left(, limit in [0-9:]+)?$2"; }

# was_cleared FILE: does nothing of a progress line remain?
was_cleared() { ! remains_of "$1" | grep -q '%  step'; }
