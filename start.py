"""Set everything up in .venv, then run the first job or the tests.

    python3 start.py                train and evaluate a ResNet-18 on handwritten digits
    python3 start.py test           run the tests (more words go to pytest: `start.py test -k digits`)
    python3 start.py setup          set up for the first job only; `setup test` for the tests too

Needs Linux x86-64, Python 3.9 to 3.12 with pip and venv, and a Python package index in reach. No compiler.
The second run finds the set-up done and starts at once; an interrupted set-up is made anew.
"""
# This file uses the standard library only and no syntax newer than Python 3.6: it must live long enough on an
# unsuitable Python to say what is wrong with it.

import ctypes
import fcntl
import glob
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = os.path.join(ROOT, ".venv")
OLDEST, NEWEST = (3, 9), (3, 12)
LOCKS = {group: "requirements/%s.txt" % group for group in ("setup", "runtime", "dev")}
FIRST_JOB = ["PaddleClas/train.py", "-c", "PaddleClas/configs/digits_resnet18.yaml"]

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


def missing_packages(loads=can_load):
    """Return (Debian package, who wants it) for every system library that does not load."""
    return [(package, wanted_by) for library, package, wanted_by in SYSTEM_LIBRARIES if not loads(library)]


def install_line(packages):
    """Return the one command that installs Debian or Ubuntu packages."""
    return "sudo apt-get update && sudo apt-get install -y --no-install-recommends " + " ".join(packages)


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
                "uv could not get one. Install Python %d.%d with its venv module and run this command again."
                % (OLDEST + NEWEST + version + NEWEST)
            )
    return python


# ------------------------------------------------------------------------------------------------ the environment
def wanted_state(groups, root=ROOT):
    """Return the stamp that an environment with these groups of packages has: its place and the locks' hashes."""
    state = {"environment": os.path.join(root, ".venv")}
    for group in groups:
        with open(os.path.join(root, LOCKS[group]), "rb") as file:
            state[group] = hashlib.sha256(file.read()).hexdigest()
    return state


def read_stamp(environment=ENVIRONMENT):
    """Return the stamp of a finished set-up, an empty dict if it was begun and not finished, None if never begun."""
    try:
        with open(os.path.join(environment, "start.json"), encoding="utf-8") as file:
            stamp = json.load(file)
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(state, environment=ENVIRONMENT):
    """Write the stamp as a whole: a reader sees the old one or the new one."""
    path = os.path.join(environment, "start.json")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(state, file, indent=1, sort_keys=True)
    os.replace(path + ".new", path)


def plan(exists, stamp, state, runs):
    """Decide what an environment needs.

    Args:
        exists: whether the folder is there.
        stamp: what `read_stamp` said.
        state: what `wanted_state` said.
        runs: whether the environment's Python is there and starts.

    Returns:
        `nothing`, `install` (packages into what is there) or `make` (anew).

    Raises:
        SetupError: the folder is somebody else's work.
    """
    if not exists:
        return "make"
    if stamp is None:
        raise SetupError(
            "there is a .venv here that this command did not make. Move it away (mv .venv old-venv) and run this again."
        )
    if not runs or stamp.get("environment") != state["environment"]:
        return "make"
    return "nothing" if all(stamp.get(name) == value for name, value in state.items()) else "install"


def environment_python(environment=ENVIRONMENT):
    """Return the path of the environment's interpreter."""
    return os.path.join(environment, "bin", "python")


def make_environment(python):
    """Make .venv anew, and make the repository importable in it.

    Args:
        python: the interpreter to make it with.

    Raises:
        SetupError: venv failed.
    """
    # An old one is first renamed: deleted half-way, it would pass for somebody else's.
    old = ENVIRONMENT + ".old"
    shutil.rmtree(old, ignore_errors=True)
    if os.path.lexists(ENVIRONMENT):
        os.rename(ENVIRONMENT, old)
        shutil.rmtree(old, ignore_errors=True)
    os.makedirs(ENVIRONMENT)
    write_stamp({})
    result = subprocess.run([python, "-m", "venv", ENVIRONMENT], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise SetupError("%s -m venv .venv failed: %s" % (python, last_line(result.stdout.decode(errors="replace"))))
    # A path relative to the folder of the .pth file: it needs no build tool, and no encoding of the path's letters.
    (packages,) = glob.glob(os.path.join(ENVIRONMENT, "lib", "python3*", "site-packages"))
    with open(os.path.join(packages, "paddle_on_mxnet.pth"), "w", encoding="utf-8") as file:
        file.write(os.path.relpath(ROOT, packages) + "\n")


def last_line(text):
    """Return the last line of a program's output that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def install(groups):
    """Install the locked packages of some groups with the environment's pip.

    Args:
        groups: keys of LOCKS.

    Raises:
        SetupError: pip failed.
    """
    command = [environment_python(), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    command += ["--only-binary=:all:", "--require-hashes"]
    for group in groups:
        command += ["-r", os.path.join(ROOT, LOCKS[group])]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    width = shutil.get_terminal_size().columns - 1
    live, output, count = sys.stdout.isatty(), [], 0
    for raw in process.stdout:
        line = raw.decode(errors="replace").strip()
        output.append(line)
        if live and line.startswith(("Collecting ", "Installing ")):
            count += line.startswith("Collecting ")
            text = "[start]   %d %s" % (count, line)
            print("\r" + text[:width].ljust(width), end="", flush=True)
    if live:
        print("\r" + " " * width + "\r", end="", flush=True)
    if process.wait() != 0:
        print("\n".join(output[-15:]))
        errors = [line for line in output if line.startswith("ERROR")] or output
        raise SetupError(
            "pip could not install the packages (%s). Is a package index in reach? Then run this again."
            % last_line("\n".join(errors))
        )


def set_up(groups):
    """Bring .venv to the state that the locks describe; do nothing where it is there already.

    Args:
        groups: keys of LOCKS.

    Raises:
        SetupError: something is missing; the message says what to do.
    """
    state = wanted_state(groups)
    exists, stamp = os.path.isfile(ENVIRONMENT) or bool(glob.glob(ENVIRONMENT + "/*")), read_stamp()
    runs = bool(stamp) and probe(environment_python()) is not None
    step = plan(exists, stamp, state, runs)
    if step == "nothing":
        return
    check_platform(platform.system(), platform.machine())
    missing = missing_packages()
    if missing:
        reasons = "; ".join("%s for %s" % pair for pair in missing)
        packages = [package for package, _ in missing]
        raise SetupError("system libraries are missing (%s). Run: %s" % (reasons, install_line(packages)))
    if step == "make":
        if exists:
            say("The set-up in .venv is unfinished or broken: making it anew.")
        python = find_interpreter()
        say("1/3 Making an environment in .venv with %s ..." % python)
        make_environment(python)
        stamp = {}
    say("2/3 Installing the locked packages from the Python package index (about 250 MB) ...")
    # Until the new stamp is written, an interruption leaves an empty one: the next run starts anew.
    write_stamp({})
    if step == "make":
        install(["setup"])
    install(groups)
    say("3/3 Trying the engine ...")
    trial = "import numpy; numpy.bool = bool; import mxnet, cv2; assert mxnet.nd.ones((2, 2)).sum().asscalar() == 4"
    command = [environment_python(), "-W", "ignore", "-c", trial]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise SetupError("the engine does not start: " + last_line(result.stdout.decode(errors="replace")))
    write_stamp(dict(stamp, **state))
    say("Set-up is done.")


# ------------------------------------------------------------------------------------------------ the command
def parse(words):
    """Return (groups of packages to install, arguments for the environment's Python or None) for a command line.

    Raises:
        SetupError: the command is unknown.
    """
    if not words:
        return ["runtime"], FIRST_JOB
    if words[0] == "test":
        return ["runtime", "dev"], ["-m", "pytest"] + words[1:]
    if words == ["setup"]:
        return ["runtime"], None
    if words == ["setup", "test"]:
        return ["runtime", "dev"], None
    raise SetupError("unknown command %r; there are: start.py, start.py test, start.py setup" % " ".join(words))


def main(words):
    """Do what the command line says; return the exit status, unless the job takes over the process."""
    if words and words[0] in ("-h", "--help", "help"):
        print(__doc__.strip())
        return 0
    try:
        groups, job = parse(words)
        # Two of these at once would write into one .venv: the second waits. The lock ends with the file's descriptor.
        with open(os.path.abspath(__file__), "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            set_up(groups)
    except SetupError as error:
        print("start.py: %s" % error, file=sys.stderr)
        return 1
    except OSError as error:
        print("start.py: set-up failed: %s" % error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstart.py: interrupted; run it again to set up from the start.", file=sys.stderr)
        return 130
    if job is None:
        say("Next: python3 start.py, or python3 start.py test")
        return 0
    os.chdir(ROOT)
    say("Running: .venv/bin/python " + " ".join(job))
    os.execv(environment_python(), [environment_python()] + job)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
