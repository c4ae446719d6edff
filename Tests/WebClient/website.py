"""A site of its own origin: its files, and `/v1/events` on the way to the service, which may be cut."""

import http.server
import pathlib
import threading
import urllib.error
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parent / "site"
CLIENT = FOLDER.parents[2] / "Sources/NotilogWebClient/notilog.js"
FILES = {
    "/": (FOLDER / "index.html", "text/html"),
    "/worker.js": (FOLDER / "worker.js", "text/javascript"),
    "/notilog.js": (CLIENT, "text/javascript"),
}


class Site:
    """`way` is what becomes of a request for the service: open, closed (503, with `retry_after`), or unanswered (taken, and the answer lost)."""

    def __init__(self, service):
        self.way = "open"
        self.retry_after = None
        self.posts = 0
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                found = FILES.get(self.path.split("?")[0])
                if found is None:
                    return self.answer(404, b"", "text/plain")
                self.answer(200, found[0].read_bytes(), found[1])

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                site.posts += 1
                if site.way == "closed":
                    return self.answer(503, b"", "text/plain")
                names = ("Authorization", "Content-Type", "Notilog-Sent-At")
                request = urllib.request.Request(
                    service.url + self.path, data=body, headers={name: self.headers[name] for name in names}
                )
                try:
                    with urllib.request.urlopen(request, timeout=20) as answer:
                        status, text = answer.status, answer.read()
                except urllib.error.HTTPError as error:
                    status, text = error.code, error.read()
                if site.way == "unanswered":
                    self.close_connection = True
                    return
                self.answer(status, text, "application/json")

            def answer(self, status, body, kind):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                if status == 503 and site.retry_after:
                    self.send_header("Retry-After", site.retry_after)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
