"""Every command of an installed thatch once, on small inputs with known answers."""

import json
import re
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

NEWS = (
    "The bridge closed on Monday. Cracks were found in two piers. "
    "Cracks in two piers of the bridge will take a year to repair."
)
# Not in the code pages of Western Europe and America.
GREEK = "Χιόνισε όλη μέρα."
PROBLEM = {
    "format": "thatch-coverage",
    "version": 1,
    "budget": 2,
    "weights": [3, 5, 5, 3],
    "sets": [[1, 2], [0, 1], [2, 3]],
}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "check", "version": "0"},
}
PDF_WITHOUT_PAGES = b"%PDF-1.4\n"
MAX_SECONDS = 120


@dataclass
class Runner:
    """Runs ``thatch`` in a folder."""

    program: str
    folder: Path
    environment: dict[str, str]

    def run(self, *arguments, given="", code=0):
        """What the command writes to standard output and to standard error."""
        answer = subprocess.run(
            [self.program, *map(str, arguments)],
            input=given,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=MAX_SECONDS,
        )
        assert answer.returncode == code, (arguments, answer)
        return answer.stdout, answer.stderr

    @contextmanager
    def running(self, *arguments):
        """The command, which runs within the block."""
        process = subprocess.Popen(
            [self.program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env=self.environment,
            encoding="utf-8",
        )
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=MAX_SECONDS)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return path


def summarize(thatch):
    thatch.write("news.txt", NEWS)
    out, _ = thatch.run("summarize", "news.txt", "--budget", "13")
    chosen = "Cracks in two piers of the bridge will take a year to repair."
    assert out.strip() == chosen
    assert thatch.run("summarize", "-", "--budget", "13", given=NEWS)[0] == out
    assert thatch.run("summarize", "-", given=GREEK)[0].strip() == GREEK
    thatch.run("summarize", "news.txt", "--budget", "13", "-o", "summary.txt")
    assert (thatch.folder / "summary.txt").read_bytes() == f"{chosen}\n".encode()
    thatch.write("page.html", f"<p>{NEWS}</p>")
    assert thatch.run("summarize", "page.html", "--budget", "13")[0].strip() == chosen
    (thatch.folder / "none.pdf").write_bytes(PDF_WITHOUT_PAGES)
    _, err = thatch.run("summarize", "none.pdf", code=2)
    assert "none.pdf" in err


def solve(thatch):
    thatch.write("problem.json", json.dumps(PROBLEM))
    for file, given in (("problem.json", ""), ("-", json.dumps(PROBLEM))):
        out, _ = thatch.run("solve", file, "--format", "json", given=given)
        answer = json.loads(out)
        assert (answer["items"], answer["value"]) == ([1, 2], 16)
    for name in ("bp", "greedy", "local-search", "exact"):
        thatch.run("solve", "problem.json", "--solver", name, "--threads", "2")
    thatch.run("convert", "problem.json", "problem.npz")
    assert "16" in thatch.run("solve", "problem.npz")[0]
    thatch.run(
        *("generate", "biregular", "--items", "60", "--elements", "180"),
        *("--item-degree", "9", "--element-degree", "3", "--budget", "100"),
        *("--seed", "0", "--output", "random.json"),
    )
    thatch.run("solve", "random.json", "--max-seconds", "5")


def score(thatch):
    thatch.write("summary.txt", "The cat sat.")
    thatch.write("reference.txt", "The cat slept.")
    out, _ = thatch.run("score", "summary.txt", "reference.txt", "--format", "json")
    assert abs(json.loads(out)["scores"]["ROUGE-1"]["recall"] - 2 / 3) < 1e-4


def corpus(thatch):
    rows = [{"id": str(k), "text": NEWS} for k in range(20)]
    thatch.write("news.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    thatch.run("corpus", "news.jsonl", "out.jsonl", "--budget", "13")
    lines = (thatch.folder / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in rows]
    thatch.run("corpus", "news.jsonl", "out", "--budget", "13")
    assert (thatch.folder / "out" / "_SUCCESS").exists()
    thatch.run("corpus-stats", "news.jsonl", "stats.json")
    assert (thatch.folder / "stats.json").stat().st_size


def reproduce(thatch):
    thatch.run("reproduce", "fig2", "--graphs", "2", "--out", "figures")
    written = {path.suffix for path in (thatch.folder / "figures").iterdir()}
    assert {".csv", ".png"} <= written


def serve(thatch):
    with thatch.running("serve", "--port", "0", "--workers", "1") as server:
        said = ""
        while not (found := re.search(r"http://\S+", said)):
            line = server.stderr.readline()
            assert line, said
            said += line
        address = found[0]
        with urlopen(address, timeout=MAX_SECONDS) as page:
            scripts = re.findall(r'src="([^"]+\.js)"', page.read().decode())
        assert scripts
        for script in scripts:
            path = f"{address}/{script.removeprefix('/')}"
            with urlopen(path, timeout=MAX_SECONDS) as answer:
                assert answer.headers.get_content_type() == "text/javascript"
        body = json.dumps({"documents": NEWS, "budget": 13}).encode()
        headers = {"Content-Type": "application/json"}
        request = Request(f"{address}/api/summarize", body, headers)
        with urlopen(request, timeout=MAX_SECONDS) as answer:
            assert json.load(answer)["summary"].startswith("Cracks in two piers")


def mcp(thatch):
    with thatch.running("mcp") as server:

        def send(method, number=None, **parameters):
            message = {"jsonrpc": "2.0", "method": method, "params": parameters}
            if number is not None:
                message["id"] = number
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            return None if number is None else json.loads(server.stdout.readline())

        reply = send("initialize", 1, **INITIALIZE)
        assert reply["result"]["serverInfo"]["name"] == "thatch"
        send("notifications/initialized")
        arguments = {"documents": [NEWS], "budget": 13}
        reply = send("tools/call", 2, name="summarize", arguments=arguments)
        text = reply["result"]["content"][0]["text"]
        assert text.startswith("Cracks in two piers")


CHECKS = [summarize, solve, score, corpus, reproduce, serve, mcp]
