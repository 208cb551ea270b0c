#!/bin/sh
# Shows a message on the desktop of this machine: for launcher local. In the file of the run:
#   notify: {command: [sh, desktop.sh]}
# Needs notify-send (Debian: libnotify-bin) and python3.
set -eu
text=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["text"])')
notify-send --app-name ddpsubmit 'ddpsubmit' "$text"
