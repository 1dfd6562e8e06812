"""ClickHouse for tests: the real SQL engine behind as much of its HTTP
interface as we use.

The engine is chdb, ClickHouse as a library. Requests are answered one after
the other. The end of standard input ends the server, so it never outlives the
test that started it.

Usage: server.py FOLDER PORT USER PASSWORD [CERTIFICATE KEY]
"""

import os
import re
import ssl
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

FOLDER, PORT, USER, PASSWORD = sys.argv[1:5]
NO_SETTINGS = {"query", "database", "default_format", "wait_end_of_query", "query_id"}
# As the real server maps them (`exceptionCodeToHTTPStatus`).
STATUS = {"516": 403, "60": 404, "81": 404, "62": 400, "159": 408}

session = Session(FOLDER)
applied = {}


def apply(settings):
    for name, value in settings.items():
        if applied.get(name) != value:
            session.query(f"SET {name} = '{value}'")
            applied[name] = value


def answer(parameters, body):
    settings = {k: v for k, v in parameters.items() if k not in NO_SETTINGS}
    session.query(f"USE {parameters.get('database', 'default')}")
    if "query" not in parameters:
        apply(settings)
        result = session.query(body.decode(), parameters.get("default_format", "TabSeparated"))
        return result.bytes() or b""
    # Settings of statements before stay in force, as the library has one session.
    settings = {"max_execution_time": "0", **settings}
    # Rows come in the body. The library reads them from a file.
    with tempfile.NamedTemporaryFile() as rows:
        rows.write(body)
        rows.flush()
        chosen = ", ".join(f"{name} = '{value}'" for name, value in settings.items())
        source = f" FROM INFILE '{rows.name}' SETTINGS {chosen} FORMAT "
        session.query(source.join(parameters["query"].rsplit(" FORMAT ", 1)))
    return b""


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        account = self.headers["x-clickhouse-user"], self.headers["x-clickhouse-key"]
        try:
            if account != (USER, PASSWORD):
                raise RuntimeError(
                    f"Code: 516. DB::Exception: {account[0]}: Authentication failed: "
                    "password is incorrect, or there is no user with such name."
                )
            self.send(200, answer(dict(parse_qsl(urlsplit(self.path).query)), body))
        except Exception as error:
            code = re.match(r"Code: (\d+)", str(error))
            self.send(STATUS.get(code and code[1], 500), str(error).encode())

    def send(self, status, body):
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


# Tests ask at the same time. A connection beyond the queue would be tried again seconds later.
HTTPServer.request_queue_size = 64
server = HTTPServer(("127.0.0.1", int(PORT)), Handler)
if len(sys.argv) > 5:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*sys.argv[5:7])
    server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=end_with_parent, daemon=True).start()
print(server.server_port, flush=True)
server.serve_forever()
