"""Does a program in Python say something of itself to the daemon of `raddle live`?"""

import subprocess
import sys

import pytest

import raddle


def test_hints_reach_a_daemon(tmp_path, monkeypatch):
    socket = tmp_path / "socket"
    monkeypatch.setenv("RADDLE_LIVE_SOCKET", str(socket))
    with pytest.raises(raddle.RaddleError, match="start `raddle live serve`"):
        raddle.hint(level=3)
    serve = [sys.executable, "-m", "raddle", "live", "serve", "--socket", str(socket)]
    with subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as daemon:
        assert "highest-level" in daemon.stderr.readline()
        # Nothing of this process has joined.
        assert raddle.hint(deadline_ns=20_000_000, share=2) == 0
        assert raddle.hint() == 0
        daemon.terminate()
