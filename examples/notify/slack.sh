#!/bin/sh
# Posts to a Slack channel. In the file of the run:
#   environment: {secrets: [SLACK_WEBHOOK_URL]}
#   notify: {command: [sh, slack.sh]}
# The URL is that of an incoming webhook: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/
# Needs curl and python3. curl reads the URL and the message from stdin, because other users can see the arguments of a process.
set -eu
body=$(python3 -c 'import json, sys; print(json.dumps(json.dumps({"text": json.load(sys.stdin)["text"]})))')
printf 'url = "%s"\ndata-raw = %s\n' "$SLACK_WEBHOOK_URL" "$body" |
  curl --config - --fail --silent --show-error --max-time 8 --output /dev/null \
    --header 'Content-Type: application/json'
