"""Drives a headless Chromium over the pipe of its DevTools protocol. Needs nothing but Python and Chromium."""
import base64
import json
import os
import shutil
import subprocess
import tempfile

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
# Window widths and colour schemes in which pages are checked.
VIEWS = [(1200, "light"), (1200, "dark"), (400, "light"), (400, "dark")]
# A JavaScript function: the elements with insufficient contrast to their background (WCAG 2.2, 1.4.3).
FAINT = """(selector) => {
  const problems = [];
  const luminance = (colour) => colour.match(/[\\d.]+/g).slice(0, 3)
    .map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (!/, 0\\)$/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const seen = new Set();
  for (const element of document.querySelectorAll(selector)) {
    const style = getComputedStyle(element);
    const colours = [element.namespaceURI.endsWith("svg") ? style.fill : style.color, behind(element)];
    const [a, b] = colours.map(luminance);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const what = `${element.localName}.${element.getAttribute("class") ?? ""}`;
    if (contrast < 4.5 && !seen.has(what)) problems.push(`${what}: contrast ${contrast.toFixed(1)} of ${colours}`);
    seen.add(what);
  }
  return problems;
}"""
# Timeout of a request to a page, in seconds.
PATIENCE = 60


def found():
    """The path of Chromium: $CHROMIUM, else the first on the path; None if there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A Chromium with one blank page. No network: all host names are unknown."""

    def __init__(self, path):
        self.profile = tempfile.TemporaryDirectory(prefix="sitegrove-browser-", ignore_cleanup_errors=True)
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def connect():
            # The browser reads commands from 3 and writes answers to 4. The pipes are copied first, because they
            # may have these numbers themselves.
            ends = [os.dup(end) for end in (to_browser, from_browser)]
            saved = [os.dup2(end, 60 + at) for at, end in enumerate(ends)]
            os.dup2(saved[0], 3)
            os.dup2(saved[1], 4)

        command = [path, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}"]
        command += ["--disable-gpu", "--disable-extensions", "--no-first-run", "--disable-background-networking"]
        command += ["--host-resolver-rules=MAP * ~NOTFOUND", "--disable-dev-shm-usage", "--hide-scrollbars"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # Chromium refuses to run as root with its sandbox.
            command.append("--no-sandbox")
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            [*command, "about:blank"], preexec_fn=connect, close_fds=False, stdin=quiet, stdout=quiet, stderr=quiet
        )
        os.close(to_browser)
        os.close(from_browser)
        self.waiting, self.number, self.session, self.events = b"", 0, None, []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.close(self.out)
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        self.profile.cleanup()

    def ask(self, method, **parameters):
        """Sends a command and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error'].get('message')}")
                return answer.get("result", {})
            self.events.append(answer)

    def next(self):
        """The next message of the browser."""
        while b"\0" not in self.waiting:
            data = os.read(self.into, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self.waiting += data
        message, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(message)

    def wait_for(self, method):
        """Waits for an event, unless it has already arrived."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.next())

    def call(self, function, *arguments):
        """Calls a JavaScript function on the page with JSON arguments; returns its value."""
        values = ", ".join(json.dumps(argument) for argument in arguments)
        answer = self.ask(
            "Runtime.evaluate", expression=f"({function})({values})", returnByValue=True, timeout=PATIENCE * 1000
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details["text"]
            raise RuntimeError(text.partition("\n    at ")[0])
        return answer["result"].get("value")

    def open(self, path, width, scheme):
        """Opens a file in a window of this width and colour scheme, and waits until it is loaded."""
        self.events.clear()
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=1400, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", features=features)
        self.ask("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("Page.loadEventFired")

    def complaints(self, path):
        """Messages logged by the browser since the file was opened, and requests other than the file."""
        address, problems = path.resolve().as_uri(), []
        for event in self.events:
            parameters = event.get("params", {})
            if event.get("method") == "Network.requestWillBeSent" and parameters["request"]["url"] != address:
                problems.append(f"asks for {parameters['request']['url']}")
            if event.get("method") == "Log.entryAdded":
                problems.append(parameters["entry"]["text"])
            if event.get("method") == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                problems.append(details.get("exception", {}).get("description") or details["text"])
        return problems

    def picture(self, path, whole=False):
        """Saves a screenshot of the window, or of the whole page."""
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))
