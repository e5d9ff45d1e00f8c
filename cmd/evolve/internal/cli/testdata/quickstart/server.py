import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from desks import route


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = route(request["task"]["goal"], **request["config"])
        body = json.dumps({"id": request["id"], "answer": answer}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8077), Service)
print(f"http://127.0.0.1:{server.server_port}/run", flush=True)
server.serve_forever()
