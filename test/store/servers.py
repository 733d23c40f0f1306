# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real PostgreSQL servers for tests: on a Unix socket in a temporary directory, without a network port."""
import glob, os, pathlib, shutil, signal, socket, struct, subprocess, sys, threading, time

binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
binaries = pathlib.Path(binaries[-1]) if binaries else None
# The server refuses to run as root.
user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []


def run(*command):
    done = subprocess.run([*user, *(str(word) for word in command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "LC_ALL": "C"}, cwd="/")
    if done.returncode:
        raise SystemExit(f"FAILED: exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


class Server:
    """A server with a user `waymark`, who may do everything.  It does not sync: processes are killed, and not the machine."""

    def __init__(self, directory, template=None):
        self.directory, self.data = pathlib.Path(directory), pathlib.Path(directory) / "data"
        self.directory.mkdir()
        if user:
            shutil.chown(self.directory, "postgres", "postgres")
        if template:
            run("cp", "-r", template.data, self.data)
        else:
            run(binaries / "initdb", "-A", "trust", "-U", "waymark", "-N", "-E", "UTF8", "--no-locale", "-D", self.data)
            with open(self.data / "postgresql.conf", "a") as settings:
                settings.write("listen_addresses = ''\nfsync = off\nshared_buffers = 8MB\nmax_connections = 50\n"
                    "unix_socket_permissions = 0777\nautovacuum = off\nrestart_after_crash = on\nlog_min_messages = fatal\n")

    def start(self):
        """Does nothing if the server runs."""
        if self.is_running():
            self.wait()
            return
        # What a killed postmaster leaves behind.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        self.process = subprocess.Popen([*user, binaries / "postgres", "-D", self.data, "-k", self.directory],
            stdout=subprocess.DEVNULL, stderr=open(self.directory / "log", "ab"), cwd="/", start_new_session=True)
        self.wait()

    def is_running(self):
        return getattr(self, "process", None) and self.process.poll() is None

    def wait(self):
        for _ in range(600):
            done = subprocess.run([binaries / "pg_isready", "-q", "-h", self.directory, "-U", "waymark"])
            if done.returncode == 0:
                return
            time.sleep(0.05)
        raise SystemExit(f"FAILED: the server does not start:\n{(self.directory / 'log').read_text()}")

    def url(self, database="waymark", user="waymark"):
        return f"postgresql:///{database}?host={self.directory}&user={user}"

    def sql(self, text, database="waymark"):
        return run(binaries / "psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.directory, "-U", "waymark", "-d", database, "-c", text)

    def create_database(self, name="waymark"):
        self.sql(f"CREATE DATABASE {name}", "postgres")

    def children(self):
        found = []
        for name in glob.glob("/proc/[0-9]*/stat"):
            try:
                pid, rest = pathlib.Path(name).read_text().split(" ", 1)
            except OSError:
                continue
            if rest.rsplit(")", 1)[1].split()[1] == str(self.process.pid):
                found.append(int(pid))
        return found

    def backends(self):
        def is_backend(pid):
            try:
                return b"waymark" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                return False
        return [pid for pid in self.children() if is_backend(pid)]

    def kill_backend(self, chance):
        """SIGKILL; the server then ends all connections and recovers.  How many were killed: 0 or 1."""
        backends = self.backends()
        if not backends:
            return 0
        try:
            os.kill(chance.choice(backends), signal.SIGKILL)
        except ProcessLookupError:
            return 0
        return 1

    def fill_disk(self, chance):
        """A process of the server can extend no file beyond some bytes from now on."""
        limit = chance.choice([0, 8192, 100000])
        for pid in self.backends():
            subprocess.run([*user, "prlimit", f"--pid={pid}", f"--fsize={limit}:{limit}"], stderr=subprocess.DEVNULL)
        return 0

    def kill(self):
        """SIGKILL of the server and of all its processes."""
        processes = [self.process.pid, *self.children()]
        for pid in processes:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        for pid in processes[1:]:
            while os.path.exists(f"/proc/{pid}"):
                time.sleep(0.005)
        return 1

    def stop(self):
        if self.is_running():
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()


class Cutter:
    """Stands between a client and a server, and cuts the connection after some bytes, in whichever direction."""

    def __init__(self, server, limit):
        self.server, self.left = server, limit
        self.directory = pathlib.Path(server.directory) / "cut"
        self.directory.mkdir(exist_ok=True)
        self.name = self.directory / ".s.PGSQL.5432"
        self.name.unlink(missing_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.name))
        self.name.chmod(0o777)
        self.listener.listen()
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def url(self, database="waymark"):
        return f"postgresql:///{database}?host={self.directory}&user=waymark"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self.server.directory / ".s.PGSQL.5432"))
            except OSError:
                client.close()
                continue
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    def carry(self, source, target):
        try:
            while data := source.recv(4096):
                with self.lock:
                    data = data[:max(self.left, 0)]
                    self.left -= len(data)
                if data:
                    target.sendall(data)
                if self.left <= 0:
                    break
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Hostile:
    """Something that speaks a little of the protocol of PostgreSQL, on a Unix socket, and then misbehaves: one of the functions below."""

    def __init__(self, directory, misbehave, greets=True):
        self.directory, self.misbehave, self.greets = pathlib.Path(directory), misbehave, greets
        self.directory.mkdir()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.directory / ".s.PGSQL.5432"))
        self.listener.listen()
        self.ended = threading.Event()

    def url(self):
        return f"postgresql:///x?host={self.directory}&user=x"

    def __enter__(self):
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(client,), daemon=True).start()

    def talk(self, client):
        try:
            client.recv(65536)
            if self.greets:
                client.sendall(message(b"R", bytes(4)) + message(b"K", bytes(8)) + message(b"Z", b"I"))
                client.recv(65536)
            self.misbehave(self, client)
        except OSError:
            pass
        client.close()

    def silence(self, client):
        self.ended.wait()

    def rows(self, client):
        client.sendall(message(b"T", b"\0\1a\0" + struct.pack("!IhIhih", 0, 0, 25, -1, -1, 0)))
        self.flood(client, message(b"D", b"\0\1" + struct.pack("!I", 1 << 20) + bytes(1 << 20)))

    def one_long_row(self, client):
        client.sendall(b"T" + struct.pack("!I", 0x3fffffff))
        self.flood(client, bytes(1 << 20))

    def notices(self, client):
        self.flood(client, message(b"N", b"SNOTICE\0M" + b"\033]0;" * 1000 + b"\0\0"))

    def settings(self, client):
        if not self.greets:
            client.sendall(message(b"R", bytes(4)))
        for i in range(1 << 40):
            client.sendall(b"".join(message(b"S", b"name%d.%d\0value\0" % (i, j)) for j in range(10000)))

    def results(self, client):
        self.flood(client, message(b"C", b"SET\0") * 1000)

    def strange_error(self, client):
        client.sendall(message(b"E", "SERROR\0C22000\0Mevil \033[31m \u009b31m \u202e text".encode() + b"y" * 10000 + b"\0\0") + message(b"Z", b"I"))
        self.ended.wait()

    def flood(self, client, data):
        while True:
            client.sendall(data)


def message(kind, content):
    return kind + struct.pack("!I", len(content) + 4) + content
