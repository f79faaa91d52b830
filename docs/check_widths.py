"""Checks in a browser that no page of the built site is wider than the window, and that no code is cut:
python docs/check_widths.py FOLDER. Needs Chromium; one run of it looks at all pages, in frames."""

from __future__ import annotations

import functools
import http.server
import json
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

WIDTHS = (1280, 420)
MOST_SECONDS = 300
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

SCRIPT = """
<!doctype html><meta charset="utf-8"><body><script>
async function look(address, width) {
  const frame = document.createElement("iframe");
  frame.style = `width: ${width}px; height: 900px; border: 0`;
  frame.src = address;
  const loaded = new Promise(done => frame.onload = done);
  document.body.append(frame);
  await loaded;
  const page = frame.contentDocument, found = [];
  if (page.documentElement.scrollWidth > width) found.push(`the page is ${page.documentElement.scrollWidth} wide`);
  for (const code of page.querySelectorAll("pre, pre > code"))
    if (code.scrollWidth > code.clientWidth + 1) found.push("cut: " + code.innerText.slice(0, 60));
  frame.remove();
  return found;
}
(async () => {
  const result = {};
  for (const address of PAGES) for (const width of WIDTHS) {
    const found = await look(address, width);
    if (found.length) result[`${address} at ${width}`] = found;
  }
  await fetch("/found", {method: "POST", body: JSON.stringify(result)});
})();
</script>
"""


class Server(http.server.ThreadingHTTPServer):
    """Serves the site, and takes what the browser found."""

    def __init__(self, site: Path) -> None:
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
        self.found: queue.Queue[dict[str, list[str]]] = queue.Queue()


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.found.put(json.loads(body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def faults(site: Path, browser: str) -> dict[str, list[str]]:
    """What is too wide, by page and width."""
    pages = [f"/{path.relative_to(site).as_posix()}" for path in sorted(site.rglob("*.html")) if path.name != "404.html"]
    checker = site / "check_widths.html"
    checker.write_text(SCRIPT.replace("PAGES", json.dumps(pages)).replace("WIDTHS", json.dumps(WIDTHS)))
    server = Server(site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000", "--remote-debugging-port=0"]
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *options, f"--user-data-dir={profile}", f"http://127.0.0.1:{server.server_port}/{checker.name}"]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            found = server.found.get(timeout=MOST_SECONDS)
        except queue.Empty:
            raise TimeoutError(f"the browser didn't look at all pages in {MOST_SECONDS} s") from None
        finally:
            running.terminate()
            running.wait()
            server.shutdown()
            checker.unlink()
    print(f"{len(pages)} pages at {' and '.join(map(str, WIDTHS))} pixels")
    return found


def main() -> int:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("Chromium isn't there: the widths of the pages were NOT checked")
        return 0
    found = faults(Path(sys.argv[1]).resolve(), browser)
    for place, lines in found.items():
        print(f"{place}: {'; '.join(lines[:3])}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
