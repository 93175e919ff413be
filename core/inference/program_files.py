"""Where an exported program is: Paddle names a program file and a parameter file, core a folder."""

from __future__ import annotations

import os

from core.jit.exported.file import PROGRAM_FILE, WEIGHTS_FILE, is_exported

PROGRAM_ENDING, PARAMETERS_ENDING = ".pdmodel", ".pdiparams"


def folder_of(model_dir: str, prog_file: str, params_file: str) -> str:
    """Return the exported folder that a Config names.

    Args:
        model_dir: the folder, or "".
        prog_file: ``NAME.pdmodel``, ``NAME/program.json`` or ``NAME``, for the folder NAME, or "".
        params_file: ``NAME.pdiparams``, ``NAME/weights.safetensors``, ``NAME`` or "".

    Raises:
        ValueError: nothing is named, or the two files are of different programs.
        FileNotFoundError: there is no exported program.
        NotImplementedError: it is a program that Paddle itself wrote.
    """
    if not model_dir and not prog_file:
        raise ValueError("Config names no model: use Config(folder) or Config('NAME.pdmodel', 'NAME.pdiparams')")
    named = prog_file or model_dir
    folder = named_folder(named)
    if prog_file and params_file and not same_program(params_file, prog_file):
        raise ValueError(
            f"{prog_file!r} and {params_file!r} are not of one program: an exported folder holds both, so name it twice"
        )
    if is_exported(folder):
        return folder
    if os.path.isfile(named) or os.path.isfile(os.path.join(folder, "__model__")):
        raise NotImplementedError(
            f"{named!r} is a program that Paddle wrote; core runs its own: load the weights into the layer with"
            " set_state_dict and export that with core.jit.save"
        )
    raise FileNotFoundError(
        f"there is no exported program for {named!r}: the folder {folder!r}, which core.jit.save writes, "
        + ("is something else" if os.path.exists(folder) else "does not exist")
    )


def named_folder(file: str) -> str:
    """Return the folder that a program or parameter file stands for."""
    for ending in (PROGRAM_ENDING, PARAMETERS_ENDING):
        if file.endswith(ending):
            return file[: -len(ending)]
    if os.path.basename(file) in (PROGRAM_FILE, WEIGHTS_FILE):
        return os.path.dirname(file) or os.curdir
    return file


def same_program(first: str, second: str) -> bool:
    """Return whether two files stand for the same folder."""
    return os.path.abspath(named_folder(first)) == os.path.abspath(named_folder(second))
