"""batch.py: the program that renders many cases in one process (`test_fixtures --batch`), as Python sees it."""

import json
import os
import queue
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.dirname(os.path.abspath(os.environ.get("OPGEN", os.path.join(TOP, "build", "opgen"))))
PROGRAM = os.environ.get("BATCH", os.path.join(BUILD, "tests", "template", "test_fixtures"))
PATIENCE = 30  # seconds for one answer


class Renderer:
    """Gives each case an answer: {"ok", "text"}, with "odd" if something is wrong with how it came about, or {"crash"}.
    The program is started anew when it ended or was too slow."""

    def __init__(self):
        self.process = None
        self.stderr = tempfile.TemporaryFile()

    def start(self):
        self.stderr.seek(0)
        self.stderr.truncate()
        self.process = subprocess.Popen([PROGRAM, "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, args=(self.process.stdout, self.answers), daemon=True).start()

    @staticmethod
    def read(stream, answers):
        for line in stream:
            answers.put(line)
        answers.put(None)

    @staticmethod
    def write(stream, lines):
        try:
            stream.write(b"".join(lines))
            stream.flush()
        except (BrokenPipeError, ValueError):
            pass  # it ended: the missing answers say so

    def crash(self, what):
        self.process.kill()
        status = self.process.wait()
        self.process = None
        self.stderr.seek(0)
        return {"crash": f"{what} (status {status})\n" + self.stderr.read().decode("utf-8", "replace")[:6000]}

    def render(self, cases):
        out = []
        lines = [json.dumps(case, ensure_ascii=False).encode() + b"\n" for case in cases]
        while len(out) < len(lines):
            if self.process is None:
                self.start()
            feed = threading.Thread(target=self.write, args=(self.process.stdin, lines[len(out) :]), daemon=True)
            feed.start()
            while len(out) < len(lines):
                try:
                    line = self.answers.get(timeout=PATIENCE)
                except queue.Empty:
                    out.append(self.crash(f"no answer within {PATIENCE} s"))
                    break
                if line is None:
                    out.append(self.crash("it ended"))
                    break
                out.append(json.loads(line))
            feed.join()
        return out

    def close(self):
        """What the program has to say when it does not end in peace: leaks, for instance."""
        if self.process is None:
            return ""
        self.process.stdin.close()
        status = self.process.wait()
        self.stderr.seek(0)
        return self.stderr.read().decode("utf-8", "replace") or f"exit status {status}" if status else ""
