"""What this machine offers to run the engine on: system libraries and an interpreter.

Used by start.py alone, and bound like it to the standard library and Python 3.6.
"""

import ctypes
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

OLDEST, NEWEST = (3, 9), (3, 12)

# What the wheels load from the system: file name, Debian and Ubuntu package, who wants it.
SYSTEM_LIBRARIES = [
    ("libgomp.so.1", "libgomp1", "mxnet, numba"),
    ("libquadmath.so.0", "libquadmath0", "mxnet"),
    ("libGL.so.1", "libgl1", "opencv-python"),
    ("libgthread-2.0.so.0", "libglib2.0-0", "opencv-python"),
]

# uv downloads its Pythons from here, unless UV_PYTHON_INSTALL_MIRROR names another place.
UV_PYTHON_HOST = "https://github.com/astral-sh/python-build-standalone/releases"
REACH_TIMEOUT = 5  # seconds


class SetupError(Exception):
    """Set-up cannot go on; the message is one line that says what to do about it."""


def say(text):
    """Print one progress line at once."""
    print("[start] " + text, flush=True)


# ------------------------------------------------------------------------------------------------ the system
def check_platform(system, machine):
    """Raise SetupError unless the engine's wheels exist for this system (`Linux`) and machine (`x86_64`)."""
    if system != "Linux" or machine not in ("x86_64", "AMD64"):
        raise SetupError(
            "the engine (mxnet 1.9.1) comes as a wheel for Linux x86-64 only; this is %s %s. Use such a machine, "
            "or a container on one." % (system, machine)
        )


def can_load(library):
    """Tell whether the dynamic linker finds and loads a shared library, by file name."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def check_libraries(loads=can_load):
    """Raise SetupError with the one install line if system libraries are missing.

    Args:
        loads: function like `can_load`.
    """
    missing = [row for row in SYSTEM_LIBRARIES if not loads(row[0])]
    if missing:
        reasons = ", ".join("%s for %s" % (library, wanted_by) for library, _, wanted_by in missing)
        packages = [package for _, package, _ in missing]
        raise SetupError("system libraries are missing (%s). Run: %s" % (reasons, install_line(packages)))


def install_line(packages, root=None):
    """Return the one command that installs Debian or Ubuntu packages, with sudo unless we are root (None: ask)."""
    sudo = "" if (os.geteuid() == 0 if root is None else root) else "sudo "
    return "%sapt-get update && %sapt-get install -y --no-install-recommends %s" % (sudo, sudo, " ".join(packages))


# ------------------------------------------------------------------------------------------------ the interpreter
def supported(version):
    """Tell whether a (major, minor) Python version can run the engine."""
    return OLDEST <= tuple(version[:2]) <= NEWEST


PROBE = """
import importlib.util, json, sys
modules = ["venv", "ensurepip"]
print(json.dumps([sys.version_info[:2], all(importlib.util.find_spec(name) for name in modules)]))
"""


def probe(python):
    """Return ((major, minor), has venv and ensurepip) of an interpreter, or None if it does not run."""
    try:
        output = subprocess.run(
            [python, "-c", PROBE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30, check=True
        ).stdout
        version, can_make = json.loads(output.decode())
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return tuple(version), can_make


def other_interpreters():
    """Return paths of Pythons 3.12 to 3.9 found on PATH, then among those of pyenv and uv; newest first."""
    home = os.path.expanduser("~")
    pyenv = os.environ.get("PYENV_ROOT") or os.path.join(home, ".pyenv")
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR") or os.path.join(home, ".local", "share", "uv", "python")
    found = []
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        on_path = shutil.which("python3.%d" % minor)
        found += [on_path] if on_path else []
        found += sorted(glob.glob(os.path.join(pyenv, "versions", "3.%d.*" % minor, "bin", "python3")), reverse=True)
        found += sorted(glob.glob(os.path.join(uv, "cpython-3.%d[.-]*" % minor, "bin", "python3")), reverse=True)
    return found


def choose_interpreter(current, version, others, examine=probe):
    """Choose the Python to make the environment with: this one if it will do, else the first other one that does.

    Args:
        current: path of the running interpreter.
        version: its (major, minor).
        others: paths to try when it will not do.
        examine: function like `probe`.

    Returns:
        A path, or None if none will do.

    Raises:
        SetupError: a supported Python is here and lacks only its venv module.
    """
    without_venv = []
    for python in ([current] if supported(version) else []) + list(others):
        answer = examine(python)
        if answer and supported(answer[0]):
            if answer[1]:
                return python
            without_venv.append((python, answer[0]))
    if without_venv:
        python, (major, minor) = without_venv[0]
        raise SetupError(
            "%s cannot make environments: its venv module is not complete. Run: %s"
            % (python, install_line(["python%d.%d-venv" % (major, minor)]))
        )
    return None


def reachable(url, timeout=REACH_TIMEOUT):
    """Tell whether an address answers within the time-out (seconds), through whatever proxy is set."""
    if url.startswith("file:"):
        return True
    try:
        urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=timeout).close()
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False
    return True


def interpreter_from_uv():
    """Ask uv for a Python 3.12, installing uv itself for the moment if need be.

    Returns:
        Path of the interpreter, or None where uv or its download host cannot be had.
    """
    if not reachable(os.environ.get("UV_PYTHON_INSTALL_MIRROR") or UV_PYTHON_HOST):
        return None
    wanted = "%d.%d" % NEWEST
    with tempfile.TemporaryDirectory() as scratch:
        uv = shutil.which("uv")
        try:
            if uv is None:
                say("Getting uv, to get Python %s with ..." % wanted)
                subprocess.run([sys.executable, "-m", "venv", scratch], check=True, stdout=subprocess.DEVNULL)
                pip = [os.path.join(scratch, "bin", "python"), "-m", "pip", "--disable-pip-version-check"]
                subprocess.run(pip + ["install", "--quiet", "--only-binary=:all:", "uv"], check=True, timeout=300)
                uv = os.path.join(scratch, "bin", "uv")
            say("Getting Python %s with uv ..." % wanted)
            subprocess.run([uv, "python", "install", wanted], check=True, timeout=900)
            answer = subprocess.run(
                [uv, "python", "find", "--no-project", "--system", wanted], check=True, stdout=subprocess.PIPE
            )
        except (OSError, subprocess.SubprocessError) as error:
            say("That did not work: %s" % error)
            return None
    return answer.stdout.decode().strip() or None


def find_interpreter():
    """Return the Python to make the environment with: this one, another that is here, or one from uv.

    Raises:
        SetupError: there is none.
    """
    version = sys.version_info[:2]
    python = choose_interpreter(sys.executable, version, [] if supported(version) else other_interpreters())
    if python is None:
        python = interpreter_from_uv()
        if python is None or choose_interpreter(python, (0, 0), [python]) is None:
            raise SetupError(
                "the engine (mxnet 1.9.1) runs on Python %d.%d to %d.%d; this is %d.%d, no other one is on PATH, and "
                "uv could not get one. Install Python %d.%d with its venv module (from your system, pyenv or uv) and "
                "run this again."
                % (OLDEST + NEWEST + version + NEWEST)
            )
    return python
