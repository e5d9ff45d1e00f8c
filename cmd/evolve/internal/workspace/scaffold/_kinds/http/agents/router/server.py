"""Routes messages to a desk by their words: a service that answers POST /run on this machine.

python3 server.py [PORT], 8077 by default. It keeps nothing between requests.
"""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DESKS = {
    "hardware": "screen keyboard printer charger battery laptop mouse",
    "access": "password locked account permission login username",
    "network": "internet vpn connection wifi offline cable",
}


def route(text, config):
    def cut(words):
        return {w[: config["stem"]] for w in words if len(w) >= config["shortest"]}

    said = cut(re.findall("[a-z]+", text.lower())[: config["first"]])
    share = {desk: len(said & cut(words.split())) / max(1, len(said)) for desk, words in DESKS.items()}
    best = max(share, key=share.get)
    return best if share[best] > 0 and share[best] >= config["threshold"] else config["otherwise"]


class Router(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open
    disable_nagle_algorithm = True  # answers are not held back

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = route(request["task"]["goal"], request["config"])
        body = json.dumps({"id": request["id"], "answer": answer}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8077
server = ThreadingHTTPServer(("127.0.0.1", port), Router)
print(f"listening on http://127.0.0.1:{server.server_port}/run", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
