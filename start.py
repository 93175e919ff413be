"""Set everything up in .venv, then run the first job or the tests.

    python3 start.py                train and evaluate a ResNet-18 on handwritten digits
    python3 start.py test           run the tests (more words go to pytest: `start.py test -k digits`)
    python3 start.py setup          set up for the first job only; `setup test` for the tests too

Needs Linux x86-64, Python 3.9 to 3.12 with pip and venv, and a Python package index in reach. No compiler.
The second run finds the set-up done and starts at once; an interrupted set-up is made again.
"""
# This file uses the standard library only and no syntax newer than Python 3.6: it must live long enough on an
# unsuitable Python to say what is wrong with it.

import fcntl
import glob
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys

from tools.machine import SetupError, check_libraries, check_platform, find_interpreter, probe, say

ROOT = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = os.path.join(ROOT, ".venv")
LOCKS = {group: "requirements/%s.txt" % group for group in ("setup", "runtime", "dev")}
FIRST_JOB = ["PaddleClas/train.py", "-c", "PaddleClas/configs/digits_resnet18.yaml"]
MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
# One more than processors, as tests also wait for processes and time limits; each takes up to 3.5 GB.
WORKERS = max(1, min(3, (os.cpu_count() or 1) + 1, MEMORY // (7 << 29)))
TESTS = ["-m", "pytest", "--numprocesses=%d" % WORKERS, "--dist=loadfile"]


# ------------------------------------------------------------------------------------------------ the environment
def wanted_state(groups):
    """Return the stamp that an environment with these groups of packages has: its place and the locks' hashes."""
    state = {"environment": ENVIRONMENT}
    for group in groups:
        with open(os.path.join(ROOT, LOCKS[group]), "rb") as file:
            state[group] = hashlib.sha256(file.read()).hexdigest()
    return state


def read_stamp():
    """Return the stamp of a finished set-up, an empty dict if it was begun and not finished, None if never begun."""
    try:
        with open(os.path.join(ENVIRONMENT, "start.json"), encoding="utf-8") as file:
            stamp = json.load(file)
    except FileNotFoundError:
        return None
    except ValueError:
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(state):
    """Write the stamp as a whole: a reader sees the old one or the new one."""
    path = os.path.join(ENVIRONMENT, "start.json")
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
        `nothing`, `install` (packages into what is there) or `make` (from scratch).

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


def environment_python():
    """Return the path of the environment's interpreter."""
    return os.path.join(ENVIRONMENT, "bin", "python")


def make_environment(python):
    """Make .venv from scratch, and make the repository importable in it.

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
    width = shutil.get_terminal_size().columns - 1
    live, output, count = sys.stdout.isatty(), [], 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for raw in process.stdout:
            line = raw.decode(errors="replace").strip()
            output.append(line)
            if live and line.startswith(("Collecting ", "Installing ")):
                count += line.startswith("Collecting ")
                text = "[start]   %d %s" % (count, line.split(" (from ")[0])
                print("\r" + text[:width].ljust(width), end="", flush=True)
    if live:
        print("\r" + " " * width + "\r", end="", flush=True)
    if process.returncode != 0:
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
    check_libraries()
    if step == "make":
        if exists:
            say("The set-up in .venv is unfinished or broken: making it anew.")
        python = find_interpreter()
        say("1/4 Making an environment in .venv with %s ..." % python)
        make_environment(python)
        stamp = {}
    say("2/4 Installing the locked packages from the Python package index (about 250 MB) ...")
    # Until the new stamp is written, an interruption leaves an empty one: the next run starts again.
    write_stamp({})
    if step == "make":
        install(["setup"])
    install(groups)
    say("3/4 Trying the engine ...")
    trial = "import numpy; numpy.bool = bool; import mxnet, cv2; assert mxnet.nd.ones((2, 2)).sum().asscalar() == 4"
    command = [environment_python(), "-W", "ignore", "-c", trial]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        raise SetupError("the engine does not start: " + last_line(result.stdout.decode(errors="replace")))
    say("4/4 Compiling kernels that most programs use (up to a minute) ...")
    command = [environment_python(), os.path.join("tools", "compile_kernels.py")]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT)
    if result.returncode != 0:
        raise SetupError("kernels cannot be compiled: " + last_line(result.stdout.decode(errors="replace")))
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
        return ["runtime", "dev"], TESTS + words[1:]
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
    if job[: len(TESTS)] == TESTS:
        # Tests start many interpreters, each of which would compile the sources of core anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    say("Running: .venv/bin/python " + " ".join(job))
    os.execv(environment_python(), [environment_python()] + job)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
