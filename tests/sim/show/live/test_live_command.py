"""`stiction view`: its address, and how it ends."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sim.cli.reports.shown.report_view import has_display
from tests.sim.show.live.conftest import wait_for

ROOT = Path(__file__).parents[4]


class Command:
    """The command as it runs, and the requests that it was asked."""

    def __init__(self, *words):
        self.process = subprocess.Popen([sys.executable, "-m", "sim.cli", "view", *words, "--no-open"], cwd=ROOT,
                                        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.connections = []
        line = self.process.stdout.readline()
        match = re.fullmatch(r"(\S+): http://127\.0\.0\.1:(\d+)/\?token=(\S+)\n", line)
        assert match, line + self.process.stderr.read()
        self.port, self.token = int(match[2]), match[3]

    def begin(self, path, values):
        """Send a request, and wait for nothing."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        self.connections.append(connection)
        connection.request("POST", path, json.dumps({"values": values}),
                           {"X-Stiction-Token": self.token, "Content-Type": "application/json"})
        return connection

    def ask(self, path, values):
        with self.begin(path, values).getresponse() as answer:
            assert answer.status == 200
            return json.loads(answer.read())

    def end(self, number=signal.SIGINT):
        """(exit code, what it said)."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=20)
        for connection in self.connections:
            connection.close()
        return self.process.returncode, out + err


@pytest.fixture
def start():
    """Starts commands, of which none is left."""
    begun = []

    def start_command(*words):
        begun.append(Command(*words))
        return begun[-1]

    yield start_command
    for command in begun:
        if command.process.poll() is None:
            command.end(signal.SIGKILL)


def list_children(command):
    process = command.process
    found = subprocess.run(["ps", "--ppid", str(process.pid), "-o", "pid="], capture_output=True, text=True)
    return found.stdout.split()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("busy", [False, True])
def test_interrupt_ends_it_within_a_second(start, busy):
    command = start("shaken_plate")
    assert command.ask("/run", {"run.duration": 0.01})["end"] == 0.01
    if busy:
        command.begin("/run", {"run.duration": 1e5})
        time.sleep(0.5)
    children = list_children(command)
    assert children
    said, began = command.process.stderr, time.monotonic()
    assert said.readline().startswith("Ctrl-C ends it.")
    command.process.send_signal(signal.SIGINT)
    assert said.readline() == "ended\n" and time.monotonic() - began < 1.0  # what is left is the end of Python
    command.process.wait(5.0)
    code, rest = command.end()
    assert code == 0 and rest == ""
    wait_for(lambda: not [child for child in children if Path(f"/proc/{child}").exists()], 5.0)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_killed_server_leaves_no_process(start):
    command = start("shaken_plate")
    command.ask("/run", {"run.duration": 0.01})
    command.begin("/run", {"run.duration": 1e5})
    time.sleep(0.5)
    children = list_children(command)
    command.end(signal.SIGKILL)
    wait_for(lambda: not [child for child in children if Path(f"/proc/{child}").exists()], 15.0)


def test_settings_of_the_command_are_those_of_the_page(start):
    command = start("painleve_rod", "--set", "friction.default=0.4")
    instant = command.ask("/instant", {})["instant"]
    assert instant["kind"] == "one" and instant["contacts"][0]["mu"] == 0.4
    told = command.ask("/text", {"workpiece.mass": 2.0})["command"]
    assert told == "stiction view painleve_rod --set friction.default=0.4 --set 'workpiece.mass=2.0 kg'"


def test_wrong_words_end_it_before_it_serves():
    for words, said in ((["no_such_scene"], "there is no scene"), (["painleve_rod", "--set", "mu"], "write KEY=VALUE"),
                        (["painleve_rod", "--set", "friction.default=-1"], "zero or positive")):
        result = subprocess.run([sys.executable, "-m", "sim.cli", "view", *words, "--no-open"], cwd=ROOT, text=True,
                                capture_output=True, timeout=60)
        assert result.returncode == 2 and said in result.stderr


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is always a display")
def test_no_browser_without_a_display(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not has_display()
    monkeypatch.setenv("DISPLAY", ":0")
    assert has_display()
