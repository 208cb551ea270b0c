# A terminal that programs draw on: a tmux of the test's own.

# shellcheck source=tests/support/eventually.bash
source "${BASH_SOURCE[0]%/*}/eventually.bash"

own_tmux() { tmux -u -S screen.socket "$@" 3>&-; }

# open_screen COLUMNS ROWS: an interactive bash on it. What the environment has there is that of the test.
open_screen() {
  export LC_ALL=C.UTF-8 PS1='$ ' HISTFILE=/dev/null
  own_tmux -f /dev/null new-session -d -x "$1" -y "$2" 'bash --norc --noprofile -i'
  eventually shows_line '[$#] ?$' # root has a prompt of its own
}

close_screen() { own_tmux kill-server 2>/dev/null || true; }

screen() { own_tmux capture-pane -p; }
screen_with_colours() { own_tmux capture-pane -p -e; }

# type_line TEXT: TEXT and Enter.
type_line() { own_tmux send-keys -l "$1" && own_tmux send-keys Enter; }
# press KEY...: by their names in tmux: a, Enter, Down, C-c.
press() { own_tmux send-keys "$@"; }

# shows TEXT; shows_not TEXT; shows_line REGEX
shows() { screen | grep -qF -- "$1"; }
shows_not() { ! shows "$1"; }
shows_line() { screen | grep -qE -- "$1"; }
