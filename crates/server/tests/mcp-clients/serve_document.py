"""Serves answers over https: certificate and key are the arguments. It reads a JSON object of paths
and answers on standard input, after it has written its port; each further line replaces some."""

import http.server
import json
import ssl
import sys
import threading

answers = {}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answer = answers.get(self.path, {"status": 404})
        body = answer.get("body", "").encode()
        self.send_response(answer["status"])
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.get("headers", {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
threading.Thread(target=server.serve_forever).start()
for line in sys.stdin:
    answers.update(json.loads(line))
    print("ready", flush=True)
