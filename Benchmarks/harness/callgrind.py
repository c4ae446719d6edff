"""Instructions that a process executes, counted by valgrind's callgrind: the same on a busy machine as on a quiet one."""
import glob, os, re, subprocess, tempfile, time


class Callgrind:
    """A process under callgrind. `count` runs something and gives what the process executed meanwhile."""

    def __init__(self, command, **options):
        self.folder = tempfile.mkdtemp(prefix="notilog-callgrind-")
        os.chmod(self.folder, 0o777)
        self.process = subprocess.Popen(
            ["valgrind", "--tool=callgrind", "--log-file=/dev/null", f"--callgrind-out-file={self.folder}/out", *command], **options)
        self.dumps = 0

    def control(self, what):
        """callgrind_control asks the process, which answers as soon as it runs again: one that waits has to be woken."""
        subprocess.run(["callgrind_control", what, str(self.process.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def dump(self):
        """The file of what was executed since the last dump."""
        self.control("--dump=part")
        self.dumps += 1
        path = f"{self.folder}/out.{self.dumps}"
        until = time.monotonic() + 300
        while not (os.path.exists(path) and "totals:" in open(path).read()[-2000:]):
            if time.monotonic() > until:
                raise RuntimeError("callgrind wrote no dump")
            time.sleep(0.1)
        return path

    def count(self, action):
        """Runs an action between two dumps; gives the second's path."""
        self.dump()
        action()
        return self.dump()

    def stop(self):
        self.process.kill()
        self.process.wait()
        for path in glob.glob(self.folder + "/*"):
            os.remove(path)
        os.rmdir(self.folder)


def total(path):
    """All instructions of a dump."""
    with open(path) as file:
        return int(re.search(r"^totals: (\d+)", file.read(), re.M).group(1))


def inclusive(path, *patterns):
    """Instructions of the functions whose mangled names match, with all that they call; 0 for one that is not there."""
    out = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", path], capture_output=True, text=True, check=True).stdout
    sums = dict.fromkeys(patterns, 0)
    for line in out.split("\n"):
        found = re.match(r"\s*([\d,]+) (?:\([^)]*\))?\s*\S*:(\S+)", line)
        if found:
            for pattern in patterns:
                if re.search(pattern, found.group(2)):
                    sums[pattern] = max(sums[pattern], int(found.group(1).replace(",", "")))
    return sums
