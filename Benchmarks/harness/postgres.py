"""A private PostgreSQL for the run, and databases on it."""
import glob, os, pwd, shutil, subprocess, sys, tempfile
from . import processor

SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "8GB", "synchronous_commit": "on", "listen_addresses": "''"}


class Database:
    """One database of the server: what a process needs to reach it, and SQL by psql."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.env = dict(os.environ, PGHOST=server.folder, PGUSER="postgres", PGDATABASE=name)

    def sql(self, text, **variables):
        """Runs a script; gives its last rows as psql prints them, unaligned."""
        settings = [argument for name, value in variables.items() for argument in ("-v", f"{name}={value}")]
        done = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", *settings], input=text, env=self.env,
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{self.name}: {done.stderr.strip()[-2000:]}")
        return done.stdout.strip()

    def number(self, text):
        return int(self.sql(text))


class Server(Database):
    """A PostgreSQL of the run's own, with the database `bench`.

    In a folder that ends with the run, or in one that a next run takes up. Under root it runs as the user postgres.
    """

    def __init__(self, folder=None):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
        self.bin = os.path.dirname(found[-1] if found else shutil.which("initdb") or sys.exit("install postgresql"))
        self.kept = folder is not None
        self.folder = os.path.abspath(folder) if folder else tempfile.mkdtemp(prefix="notilog-bench-")
        os.makedirs(self.folder, exist_ok=True)
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.data = self.folder + "/data"
        if not os.path.exists(self.data + "/PG_VERSION"):
            self.run("initdb", "-D", self.data, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "postgres")
        super().__init__(self, "bench")
        self.start()
        self.create("bench")

    def run(self, program, *arguments):
        command = [f"{self.bin}/{program}", *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")

    def start(self):
        options = " ".join(f"-c {k}={v}" for k, v in SETTINGS.items()) + f" -c unix_socket_directories={self.folder}"
        self.run("pg_ctl", "-D", self.data, "-l", self.folder + "/log", "-w", "-t", "600", "-o", options, "start")

    def create(self, name, template="template0"):
        """An empty database in the place of one of that name."""
        env = dict(self.env, PGDATABASE="postgres")
        subprocess.run(["dropdb", "--if-exists", "--force", name], env=env, check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["createdb", "-T", template, name], env=env, check=True)
        return Database(self, name)

    def drop(self, name):
        subprocess.run(["dropdb", "--if-exists", "--force", name], env=dict(self.env, PGDATABASE="postgres"), check=True,
                       stderr=subprocess.DEVNULL)

    def processor(self):
        """Seconds of processor time so far, of all its processes."""
        with open(self.data + "/postmaster.pid") as file:
            return processor.of_family(int(file.readline()))

    def version(self):
        return self.sql("SHOW server_version")

    def stop(self):
        if self.kept:
            for name in self.sql("SELECT datname FROM pg_database WHERE datname !~ '^(postgres|template|events_)'").split():
                if name != "bench":
                    self.drop(name)
            self.run("pg_ctl", "-D", self.data, "-m", "fast", "-w", "-t", "600", "stop")
            for path in glob.glob(self.folder + "/*"):   # what was copied to files
                if os.path.isfile(path) and os.path.basename(path) not in ("log", "dataset.json"):
                    os.remove(path)
        else:
            self.run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
            self.remove()

    def remove(self):
        """Takes the folder of a server that has stopped away."""
        shutil.rmtree(self.folder, ignore_errors=True)
