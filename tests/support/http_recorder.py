"""Answers 200 to each POST, and appends it as a line of JSON to FILE: path, headers in lower case, body.

usage: http_recorder.py FILE PORT_FILE
"""
import http.server
import json
import os
import sys


class Recorder(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.write(json.dumps({"path": self.path, "headers": headers, "body": body}) + "\n")
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Recorder)
with open(sys.argv[2] + ".new", "w", encoding="utf-8") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[2] + ".new", sys.argv[2])
server.serve_forever()
