#!/bin/sh
# Sends a mail with the mail command of the first node. In the file of the run:
#   environment: {set: {MAIL_TO: me@example.org}}
#   notify: {command: [sh, mail.sh]}
# Needs mail and python3. The mail has the whole notification.
set -eu
notification=$(cat)
subject=$(printf %s "$notification" | python3 -c 'import json, sys; n = json.load(sys.stdin); print(n["name"], n["event"])')
printf %s "$notification" |
  python3 -c 'import json, sys; n = json.load(sys.stdin); print(n["text"], json.dumps(n, indent=2), sep="\n\n")' |
  mail -s "$subject" "$MAIL_TO"
