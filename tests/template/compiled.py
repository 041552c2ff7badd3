"""compiled.py: what Jinja2's compiler made of templates, remembered from run to run.

Jinja2 takes most of its time to make Python's code of a template; what it renders, it renders each time. Code is that of
a name, a source and settings, by the same Jinja2 and Python. It lies in one file of BUILD/test-cache; OPGEN_TEST_CACHE
names another folder, or is `off`.
"""

import glob
import hashlib
import importlib.util
import marshal
import os
import sys
import time

import jinja2

HERE = os.path.dirname(os.path.abspath(__file__))
KEPT = 14 * 86400


def makers():
    """All that takes part in making code of a template."""
    digest = hashlib.sha256(sys.version.encode() + importlib.util.MAGIC_NUMBER)
    for path in [*sorted(glob.glob(os.path.join(os.path.dirname(jinja2.__file__), "*.py"))), os.path.join(HERE, "fixture.py"), __file__]:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


class Compiled(jinja2.BytecodeCache):
    def __init__(self):
        folder = os.environ.get("OPGEN_TEST_CACHE") or os.path.join(os.environ.get("BUILD") or "build", "test-cache")
        self.path = None if folder == "off" else os.path.join(folder, f"jinja2-{makers()[:32]}")
        self.kept, self.used, self.new = {}, {}, False
        try:
            with open(self.path or os.devnull, "rb") as file:
                self.kept = marshal.load(file)
        except (OSError, EOFError, ValueError, TypeError):
            pass

    @staticmethod
    def key_of(bucket):
        own = bucket.environment
        settings = (type(own).__name__, own.optimized, own.trim_blocks, own.lstrip_blocks, own.keep_trailing_newline, own.autoescape,
                    own.newline_sequence, own.is_async, own.sandboxed, own.undefined.__name__, *sorted(own.extensions))
        return hashlib.sha256(repr((bucket.key, bucket.checksum, settings)).encode()).digest()

    def load_bytecode(self, bucket):
        key = self.key_of(bucket)
        if key in self.kept:
            self.used[key] = self.kept[key]
            bucket.code = marshal.loads(self.kept[key])

    def dump_bytecode(self, bucket):
        self.used[self.key_of(bucket)] = marshal.dumps(bucket.code)
        self.new = True

    def save(self):
        """What was used; that there is no room for it is no error."""
        if self.path is None or not self.new:
            return
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(f"{self.path}.{os.getpid()}", "wb") as file:
                marshal.dump(self.used, file)
            os.rename(f"{self.path}.{os.getpid()}", self.path)
            for other in glob.glob(os.path.join(os.path.dirname(self.path), "jinja2-*")):
                if os.stat(other).st_mtime < time.time() - KEPT:
                    os.unlink(other)
        except OSError:
            pass
