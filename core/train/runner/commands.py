"""The commands of a toolkit as programs: their options, and what they call. Importing this loads no engine."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any, NoReturn, Optional, Union

from core.kernels.engine import requirements
from core.train import command_line

SPLITS = ("train", "valid", "test")


class Command:
    """A program: called with a command line's words it returns its exit code.

    Args:
        toolkit: the module whose TOOLKIT is the record, imported when the command runs.
        description: what the command does, in a sentence.
        run: the name of a config of the toolkit, and of its run, for the examples that every toolkit has.
        examples: command lines with comments, printed among these as they are; notes may follow an empty line.

    Attributes:
        command: its name.
        also: what is said of it in every toolkit.
        shared: examples that every toolkit has, with {command}, {package}, {run}, and {own} where its own stand.
        intermixed: whether positional words may follow options, too.
    """

    command = ""
    also = ""
    shared = "{own}"
    intermixed = False

    def __init__(self, toolkit: str, description: str, run: str, examples: str = "") -> None:
        self.toolkit = toolkit
        package = toolkit.partition(".")[0]
        self.description = f"{description} {self.also}".strip()
        own, _, notes = f"{examples}\n".partition("\n\n")
        own = f"{own.rstrip()}\n" if own.strip() else ""
        command = f"python {package}/{self.command}.py"
        shared = self.shared.format(command=command, package=package, run=run, own=own)
        self.examples = shared + (f"\n{notes.rstrip()}\n" if notes.strip() else "")

    def __call__(self, arguments: Optional[Sequence[str]] = None) -> int:
        """Run the command.

        Args:
            arguments: the words of the command line; None: those of the process.
        """
        options = self.parse(arguments)
        return self.start(importlib.import_module(self.toolkit).TOOLKIT, options)

    def run(self) -> NoReturn:
        """Run the command of this process and leave it; a mistake of the user's is reported in one line."""
        command_line.run(self)

    def parse(self, arguments: Optional[Sequence[str]] = None) -> argparse.Namespace:
        """Return the options of a command line.

        Args:
            arguments: its words; None: those of the process.
        """
        parser = command_line.parser(self.description, self.examples)
        self.add_options(parser)
        options = (parser.parse_intermixed_args if self.intermixed else parser.parse_args)(arguments)
        problem = self.problem(options)
        if problem:
            parser.error(problem)
        return options

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of the command; a toolkit's own subclass adds its own."""

    def problem(self, options: argparse.Namespace) -> str:
        """Return what is wrong with options as a whole; nothing where they are fine."""
        return ""

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Do what the options say; return the exit code."""
        raise NotImplementedError


class Train(Command):
    """``train.py``: from a config to a run folder with trained weights."""

    command = "train"
    also = (
        "Everything about the experiment is in one YAML file; the run writes one folder with the resolved config, "
        "metrics.jsonl, TensorBoard events, pictures and checkpoints."
    )
    shared = """\
{own}  {command} -c {package}/configs/{run}.yaml -o train.epochs=5 -o seed=1
      change keys of the config; a misspelt key is an error that names the nearest valid one
  {command} --resume runs/{run}
      continue a run that was stopped, or killed, from its newest checkpoint
  {command} -c {package}/configs/{run}.yaml --seeds 5
      five runs from seeds 0 to 4, each judged by its best checkpoint; a table with mean and standard deviation
  {command} --keys
      list every key that a config may have, and the settings of every task, network and data set
"""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add config, overrides, resume, seeds, profile and keys."""
        parser.add_argument("-c", "--config", metavar="FILE", help="the experiment")
        command_line.add_config_options(parser)
        parser.add_argument(
            "--resume",
            nargs="?",
            const="",
            metavar="RUN",
            help="continue a run: its folder, or with -c alone the newest run of that config",
        )
        text = "train so many runs, from the config's seed and those after it, and print their mean; goes with --resume"
        command_line.add_count(parser, "--seeds", None, text)
        parser.add_argument(
            "--profile",
            action="store_true",
            help="measure where time goes: data, forward+backward, update, evaluation, checkpoint, engine operators",
        )
        parser.add_argument("--keys", action="store_true", help="list the keys of a config and leave")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for something to train."""
        known = options.keys or options.config or options.resume
        return "" if known else "give a config with -c, or a run with --resume"

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Train, or list the keys."""
        if options.keys:
            print("\n".join(toolkit.keys()))
            return 0
        if options.seeds:
            from core.train.runner.several_seeds import train_seeds  # loads the engine, which not every process needs

            return train_seeds(
                toolkit, options.config, options.seeds, options.overrides, options.resume, options.profile
            )
        from core.train.runner.training import train  # as above

        return train(toolkit, options.config, options.overrides, options.resume, options.profile)


class Evaluate(Command):
    """``eval.py``: the numbers of a checkpoint on a split."""

    command = "eval"
    also = "Leaves with code 1 when the config expects more than is reached."
    shared = """\
  {command} runs/{run}
      the best checkpoint of a run, on the test split of its config
  {command} runs/{run} --split valid --checkpoint newest
      another split, another checkpoint
  {command} runs/{run} --data FOLDER
      the data in another folder
{own}"""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add run or config, overrides, split, checkpoint and output."""
        parser.add_argument("run", nargs="?", metavar="RUN", help="the folder of a run")
        parser.add_argument("-c", "--config", metavar="FILE", help="an experiment, instead of a run")
        command_line.add_config_options(parser)
        parser.add_argument("--split", default="test", choices=SPLITS, help="of the data (default: %(default)s)")
        command_line.add_checkpoint_option(parser)
        command_line.add_output_option(parser, "RUN/evaluation_SPLIT, else runs/evaluation")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for one of run and config."""
        if bool(options.run) == bool(options.config):
            return "give either the folder of a run or a config with -c"
        own = options.config and options.checkpoint != "best"
        return "--checkpoint belongs to a run; a config names its weights with network.pretrained" if own else ""

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Evaluate."""
        from core.train.runner.evaluation import evaluate  # loads the engine, which not every process needs

        return evaluate(
            toolkit, options.run, options.split, options.checkpoint, options.overrides, options.output, options.config
        )


class Infer(Command):
    """``infer.py``: what a trained network says of data; most toolkits have options of their own instead of these."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the run, and which samples."""
        command_line.add_run_options(parser, "predictions")
        parser.add_argument("--split", default="test", choices=SPLITS, help="of the data (default: %(default)s)")
        command_line.add_count(parser, "--count", 8, "samples of it")

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Call the toolkit's inference."""
        return int(toolkit.function(toolkit.inference)(toolkit, options))


class Export(Command):
    """``export.py``: a folder that computes without the network's Python class."""

    command = "export"
    also = "What it wrote is compared with the live network before the folder gets its name."
    shared = """\
  {command} runs/{run}
      the best checkpoint of a run becomes runs/{run}/exported
  {command} runs/{run} --checkpoint newest --output exported/mine
      another checkpoint, another folder
  {command} runs/{run} --onnx
      the folder holds model.onnx, too, for other runtimes
  {command} runs/{run} --int8
      convolutions and linear layers in 8 bits, calibrated on the validation split, in runs/{run}/exported_int8
{own}"""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add run, data, checkpoint, output, ONNX, and how numbers of 8 bits are found."""
        parser.add_argument("run", nargs="?", metavar="RUN", help="the folder of a trained run")
        command_line.add_config_options(parser)
        command_line.add_checkpoint_option(parser)
        command_line.add_output_option(parser, "RUN/exported, or RUN/exported_int8")
        parser.add_argument("--onnx", action="store_true", help="write model.onnx, too, and check it in onnxruntime")
        parser.add_argument("--int8", action="store_true", help="compute convolutions and linear layers in 8 bits")
        parser.add_argument(
            "--calibration",
            choices=("absmax", "moving_average", "percentile", "kl"),
            help="with --int8: how the scales of their inputs are found (default: percentile)",
        )
        help_text = "with --int8: samples that they are found on, at most, of the validation split (default: 1024)"
        command_line.add_count(parser, "--samples", None, help_text)
        help_text = "with --int8: layers that stay in float32, which change results most; auto: as many as it takes"
        parser.add_argument("--keep-float", type=_count_or_auto, metavar="N", help=f"{help_text} (default: none)")
        help_text = "with --int8: the split on which it is compared with float32 (default: test)"
        parser.add_argument("--compare", choices=SPLITS, help=help_text)

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for a run, and for what ONNX needs."""
        if not options.run:
            return "give the folder of a run"
        self.check_onnx(options)
        return self.problem_of_int8(options)

    def problem_of_int8(self, options: argparse.Namespace) -> str:
        """Return what is wrong with the options of 8 bits; nothing where they are fine."""
        given = [name for name in ("calibration", "samples", "keep_float", "compare") if getattr(options, name)]
        return f"--{given[0].replace('_', '-')} belongs to --int8" if given and not options.int8 else ""

    def check_onnx(self, options: argparse.Namespace) -> None:
        """Ask for what ONNX needs, if it is wanted."""
        if options.onnx:
            requirements.check("onnx", ("onnx", "onnxruntime"))

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Export the run."""
        given = (toolkit, options.run, options.checkpoint, options.overrides, options.output, options.onnx)
        if not options.int8:
            from core.train.runner.exporting import export_run  # loads the engine, which not every process needs

            return export_run(*given)
        from core.train.runner.quantizing import Options, export_quantized  # as above

        keep = {"auto": None, None: 0}.get(options.keep_float, options.keep_float)
        how = Options(options.calibration or "percentile", options.samples or 1024, keep, options.compare)
        return export_quantized(*given, how)


def _count_or_auto(text: str) -> Union[int, str]:
    """Return a positive integer of a command line, or the word auto."""
    if text != "auto" and not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is neither a positive integer nor auto")
    return text if text == "auto" else command_line.positive(text)


class Preview(Command):
    """``preview.py``: what training sees, as a picture."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add config, overrides, what to draw, and output."""
        parser.add_argument("-c", "--config", metavar="FILE", required=True, help="the experiment")
        command_line.add_config_options(parser)
        self.add_samples(parser)
        parser.add_argument("--output", default="preview.png", metavar="FILE", help="(default: %(default)s)")

    def add_samples(self, parser: argparse.ArgumentParser) -> None:
        """Add which samples to draw, and how often."""
        parser.add_argument("--split", default="train", choices=SPLITS, help="of the data (default: %(default)s)")
        command_line.add_count(parser, "--images", 4, "how many")
        command_line.add_count(parser, "--versions", 7, "of each")

    def start(self, toolkit: Any, options: argparse.Namespace) -> int:
        """Draw the picture."""
        return int(toolkit.function(toolkit.preview)(toolkit, options))
