#!/usr/bin/env python3
"""Runs a server and a client of one verbs program over loopback, and prints what they say.

usage: pair.py [--deadline=SECONDS] [--linger=SECONDS] [--port=PORT] [--server=ARGS] [--client=ARGS] COMMAND...

The server is COMMAND and the server's arguments; the client is started once the server listens on the port.
In all of them {port} stands for a free port; --port is for programs that have no choice. Ends with 0 when both end with 0. Both see each other on a fabric of
their own, and both are killed at the deadline, or when this program ends; --linger is how long the server may outlive the client.
The deadline is that of a quiet machine: where more programs want to run than there are processors, all take longer.
"""
import argparse
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

LISTEN = "0A"  # in /proc/net/tcp


def fabric():
    return f"pair-{os.getpid()}"


def kernels_ports():
    """Those that the kernel may give to any program that asks for none."""
    low, high = map(int, open("/proc/sys/net/ipv4/ip_local_port_range").read().split())
    return range(low, high + 1)


def free_port():
    """A free port and what keeps it ours: pairs that run at the same time choose before their servers listen."""
    taken = kernels_ports()
    ports = [port for port in range(10000, 65536) if port not in taken] or list(taken)
    while True:
        port = random.choice(ports)
        hold = socket.socket(socket.AF_UNIX)
        try:
            hold.bind(f"\0rdma-tidy/pair/{port}")
            with socket.socket() as probe:
                probe.bind(("", port))
            return port, hold
        except OSError:
            hold.close()


def listens(port):
    """On TCP, or with the connection manager, whose ports are names of local sockets."""
    name = re.compile(rf" 00010000 .* @rdma/\d+/{fabric()}/(tcp|udp)/{port}/")
    if any(name.search(line) for line in open("/proc/net/unix")):
        return True
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in open(table).readlines()[1:]:
            fields = line.split()
            if fields[3] == LISTEN and int(fields[1].rsplit(":", 1)[1], 16) == port:
                return True
    return False


def crowding():
    """How many times as long things take as on a machine of one's own; at most ten times, lest what hangs does so for ever."""
    return min(max(os.getloadavg()[0] / os.cpu_count(), 1), 10)


class Deadline:
    """So many seconds from now on, on a quiet machine."""

    def __init__(self, seconds):
        self.began, self.seconds = time.monotonic(), seconds

    def left(self):
        return self.began + self.seconds * crowding() - time.monotonic()

    def shorten(self, seconds):
        """No more than so many from now on."""
        if seconds * crowding() < self.left():
            self.__init__(seconds)


def start(command, environment):
    # setpriv: the kernel kills the program when this one is gone.
    output = tempfile.TemporaryFile()
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], env=environment, stdin=subprocess.DEVNULL,
                               stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    process.output = output
    return process


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def finish(name, process):
    """Prints the output; whether the program ended well, and in time."""
    trouble = None
    if process.poll() is None:
        kill(process)
        process.wait()
        trouble = "still running at the deadline"
    elif process.returncode:
        trouble = f"exit status {process.returncode}"
    process.output.seek(0)
    output = process.output.read().decode(errors="replace").rstrip("\n")
    print(f"--- {name}", output, f"--- {name} ends: {trouble or 'well'}", sep="\n", flush=True)
    if trouble:  # for whoever reads only why a test failed
        print(f"{name}: {trouble}:", *output.splitlines()[:20], sep="\n", file=sys.stderr)
    return not trouble


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--deadline", type=float, default=300)
    parser.add_argument("--linger", type=float, default=300)
    parser.add_argument("--port", type=int)
    parser.add_argument("--server", default="-p {port}")
    parser.add_argument("--client", default="-p {port} 127.0.0.1")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    port, _hold = (options.port, None) if options.port else free_port()
    deadline = Deadline(options.deadline)
    environment = dict(os.environ, RDMA_FABRIC=fabric())

    def command(own):
        return [word.replace("{port}", str(port)) for word in options.command + shlex.split(own)]

    programs = [("server", start(command(options.server), environment))]
    try:
        server = programs[0][1]
        while not listens(port) and server.poll() is None and deadline.left() > 0:
            time.sleep(0.02)
        if server.poll() is None:
            programs.append(("client", start(command(options.client), environment)))
            fails = lingers = False
            while any(p.poll() is None for _, p in programs) and deadline.left() > 0:
                if any(p.poll() for _, p in programs) and not fails:
                    fails = True  # the other may wait for it for ever
                    deadline.shorten(5)
                if programs[1][1].poll() is not None and not lingers:
                    lingers = True
                    deadline.shorten(options.linger)
                time.sleep(0.02)
        good = [finish(name, process) for name, process in programs]
    finally:
        for _, process in programs:
            kill(process)
    return 0 if len(good) == 2 and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
