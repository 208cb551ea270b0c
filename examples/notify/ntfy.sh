#!/bin/sh
# Sends a message to a phone or a browser with ntfy (https://ntfy.sh, or a server of your own). In the file of the run:
#   environment: {secrets: [NTFY_URL]}
#   notify: {command: [sh, ntfy.sh], events: [ended, failed, restarted]}
# NTFY_URL is the server with a topic that nobody can guess, such as https://ntfy.sh/my-runs-7f3a9c.
# Needs curl and python3. curl reads the URL and the message from stdin, because other users can see the arguments of a process.
set -eu
# The first line is the event, the second the text in quotes.
message=$(python3 -c 'import json, sys; n = json.load(sys.stdin); print(n["event"]); print(json.dumps(n["text"], ensure_ascii=False))')
event=${message%%
*}
case $event in
  failed) priority=high ;;
  *) priority=default ;;
esac
printf 'url = "%s"\ndata-raw = %s\n' "$NTFY_URL" "${message#*
}" |
  curl --config - --fail --silent --show-error --max-time 8 --output /dev/null \
    --header "Title: ddpsubmit: $event" --header "Priority: $priority"
