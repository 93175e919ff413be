"""Read texts with a trained language model."""

import argparse
import os
import sys

if not __package__:  # started as a file: import from the repository, not from this folder
    sys.path[0] = os.path.realpath(__file__ + "/../..")

from core.train import command_line
from core.train.runner import commands


class Infer(commands.Infer):
    """Reads texts."""

    intermixed = True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the run, texts, and what to write."""
        parser.add_argument("run", metavar="RUN", help="the folder of a trained run, or an exported folder")
        help_text = "texts; a TAB separates the two of a pair; - reads the standard input, each line answered at once"
        parser.add_argument("texts", nargs="*", metavar="TEXT", help=help_text)
        parser.add_argument("--file", action="append", metavar="FILE", help="a file of texts, or pairs, a line each")
        command_line.add_count(parser, "--demo", None, "take the first N samples of the test split")
        command_line.add_count(parser, "--batch-size", 32, "texts per step")
        help_text = "write a vector for each text, float32 (texts, hidden size), instead of reading them"
        parser.add_argument("--features", metavar="FILE.npy", help=help_text)
        help_text = (
            "the same for each token, float32 (tokens of all texts, hidden size); FILE.jsonl beside it says in a line "
            "for each text which characters its tokens, and so its rows, are"
        )
        parser.add_argument("--token-features", metavar="FILE.npy", help=help_text)
        help_text = "write a page of what tokens add to a text's result, by integrated gradients; of a run only"
        parser.add_argument("--explain", metavar="PAGE.html", help=help_text)
        help_text = "of lexical analysis: words that you know better, such as 春天/SEASON, a line each"
        parser.add_argument("--user-dictionary", metavar="FILE", help=help_text)
        help_text = "what counts where such a word begins or ends inside one that the network found (default: override)"
        parser.add_argument("--conflict", choices=("override", "keep"), help=help_text)
        help_text = "of a task that replies: talk to it, a line each; with facts, FILE has a line of DuConv to speak of"
        parser.add_argument("--chat", nargs="?", const="", metavar="FILE", help=help_text)
        help_text = "of a language model: draw up to N words that go on behind each text, to the end of a sentence"
        command_line.add_count(parser, "--continue", None, help_text)
        parser.add_argument("--seed", type=int, help="of what --continue draws (default: 0)")
        help_text = "--continue divides scores by it before it draws: below 1, probable words become more so"
        parser.add_argument("--temperature", type=float, help=f"{help_text} (default: 1.0)")
        command_line.add_count(parser, "--top-k", None, "--continue draws from the N most probable words alone")
        command_line.add_config_options(parser)
        command_line.add_checkpoint_option(parser)
        command_line.add_output_option(parser, "RUN/predictions, or RUN_predictions beside an exported one")

    def problem(self, options: argparse.Namespace) -> str:
        """Ask for something to read, and one thing to do with it."""
        given = options.texts or options.file or options.demo
        if given and options.chat is not None:
            return "--chat reads what you say from the standard input: leave out texts, --file and --demo"
        if not given and options.chat is None:
            return "give a text, a file with --file, - for the standard input, or --demo 8"
        vectors = options.features or options.token_features
        if options.user_dictionary and (vectors or options.explain):
            return "--user-dictionary changes words, and goes with neither --features nor --explain"
        if vectors and options.explain:
            return "--explain shows what results rest on, and --features gives none: ask for one of them"
        if vectors and getattr(options, "continue"):
            return "--continue draws words, and goes not with --features"
        owners = {"seed": "continue", "temperature": "continue", "top_k": "continue", "conflict": "user_dictionary"}
        for name, owner in owners.items():
            if getattr(options, name) is not None and not getattr(options, owner):
                return f"--{name} belongs to --{owner}".replace("_", "-")
        for file in (options.features, options.token_features):
            if file and not file.endswith(".npy"):
                return f"features are written as NumPy's arrays: name a file that ends in .npy, not {file!r}"
        return ""


main = Infer(
    "PaddleNLP.config",
    "Read texts: prints a line for each, and writes predictions.jsonl.",
    "drawn_reviews_ernie",
    """\
  python PaddleNLP/infer.py runs/drawn_reviews_ernie "虽然房间很小，但是服务员很热情"
      your own text
  python PaddleNLP/infer.py runs/drawn_reviews_ernie --file texts.txt --output predictions
      a text in each line of a file
  cat texts.txt | python PaddleNLP/infer.py runs/drawn_reviews_ernie -
      the same from a pipe, each line answered as it comes
  python PaddleNLP/infer.py runs/drawn_reviews_ernie/exported "早餐不怎么好吃"
      the same from a folder that export.py wrote
  python PaddleNLP/infer.py runs/drawn_reviews_ernie --demo 8 --explain page.html
      a page that shows which characters speak for a result, and which against it
  python PaddleNLP/infer.py runs/drawn_reviews_ernie --file texts.txt --features features.npy
      a vector for each text
""",
)

if __name__ == "__main__":
    main.run()
