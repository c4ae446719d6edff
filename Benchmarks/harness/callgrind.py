"""Instructions that a process executes, counted by valgrind's callgrind: the same on a busy machine as on a quiet one."""
import glob, os, re, subprocess, tempfile


def total(path):
    """All instructions of a dump."""
    with open(path) as file:
        return int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M).group(1))


def run(command, folder, options=(), before=(), **more):
    """Runs a command under callgrind, its dumps in a folder; gives its standard output. `before`: such as runuser."""
    done = subprocess.run([*before, "valgrind", "--tool=callgrind", f"--log-file={folder}/log", f"--callgrind-out-file={folder}/out", *options,
                           *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode:
        with open(folder + "/log") as log:
            raise RuntimeError((done.stdout + done.stderr + log.read())[-2000:])
    return done.stdout


def counted(command):
    """All instructions of a command from its start to its end, and what it wrote to its standard output."""
    with tempfile.TemporaryDirectory(prefix="notilog-callgrind-") as folder:
        output = run(command, folder)
        return total(folder + "/out"), output


def counted_parts(command, function, before=(), **more):
    """Instructions of a command between two calls of one of its functions, in their order, and what it wrote."""
    with tempfile.TemporaryDirectory(prefix="notilog-callgrind-") as folder:
        os.chmod(folder, 0o777)
        output = run(command, folder, [f"--dump-before={function}"], before, **more)
        parts = sorted(glob.glob(folder + "/out.*"), key=lambda path: int(path.rsplit(".", 1)[1]))
        return [total(path) for path in parts], output
