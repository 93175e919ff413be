"""The inference command: texts in; classes, labels, spans, answers or vectors out, line by line."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Optional

from core.io.array_file import array_file
from core.train.logs.run_folder import writing
from core.train.runner.answering import predictions_folder
from core.train.runner.experiment import open_run, opens_exported
from core.train.runner.toolkit import Toolkit
from core.weights.atomic import atomic_write
from core.weights.messages import counted
from PaddleNLP.chatting import chat
from PaddleNLP.config import TOOLKIT
from PaddleNLP.data.lines import decoded, text_lines
from PaddleNLP.explaining.explainer import Explainer, explainer_of
from PaddleNLP.explaining.page import ExplanationPage
from PaddleNLP.lexical.user_dictionary import UserDictionary
from PaddleNLP.readers.base import Text, TextReader
from PaddleNLP.readers.features import open_encoder
from PaddleNLP.readers.language_model import LanguageModelReader
from PaddleNLP.readers.lexical import LexicalReader
from PaddleNLP.readers.opening import open_reader, reader_of

STDIN = "-"


def infer(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Read texts; print a line for each, and write predictions.jsonl; or write vectors of them.

    Args:
        toolkit: of the run.
        options: of the command line: run (its folder, or an exported one), texts ("-": the standard input), file (of
            a text in each line; a TAB separates two of a pair), demo (how many samples of the test split), batch_size,
            features and token_features (files of vectors, written instead), explain (a page), user_dictionary and
            conflict (of lexical analysis), chat (a file to speak of, or ""; None: texts are read), continue, seed,
            temperature and top_k (of language models), checkpoint and output.

    Returns:
        The exit code.

    Raises:
        ValueError: a line is no text; what was read before it is written.
    """
    if options.features or options.token_features:
        return _write_vectors(options)
    reader, explainer = _opened(options)
    if options.chat is not None:
        return chat(reader, options.chat)
    if options.user_dictionary:
        if not isinstance(reader, LexicalReader):
            raise ValueError(f"--user-dictionary: {options.run!r} is of another task than LexicalAnalysis")
        reader.dictionary = UserDictionary.read(options.user_dictionary, options.conflict or "override")
    words = getattr(options, "continue", None)
    if words:
        if not isinstance(reader, LanguageModelReader):
            raise ValueError(f"--continue: {options.run!r} is of another task than LanguageModel")
        temperature = 1.0 if options.temperature is None else options.temperature
        reader.drawing = {"words": words, "strategy": "sampling", "temperature": temperature}
        reader.drawing["top_k"] = options.top_k or 0
        reader.seed = options.seed or 0
    target = predictions_folder(reader.path, options.output)
    count, problem = 0, None
    with contextlib.ExitStack() as stack:
        stack.enter_context(writing(target))
        page = None if explainer is None else stack.enter_context(_page(options.explain, reader.path))
        target.mkdir(parents=True, exist_ok=True)
        with atomic_write(target / "predictions.jsonl") as stream:
            try:
                for text, result in _results(reader, options):
                    print(f"{result.describe()}\t{_shown(text)}", flush=True)
                    stream.write(_line({**record_of(text, result), **reader.remarks()}))
                    if page is not None and explainer is not None:
                        page.add(text, result.describe(), explainer.explain(text, result))
                    count += 1
            except ValueError as error:
                if not count:
                    raise
                problem = error
    print(f"wrote {target}/predictions.jsonl: {counted(count, 'text')}", file=sys.stderr)
    if options.explain:
        print(f"wrote {options.explain}: open it in a browser", file=sys.stderr)
    if problem is not None:
        raise problem
    return 0


def _opened(options: argparse.Namespace) -> tuple[TextReader, Optional[Explainer]]:
    """Return the reader of a run or an exported folder, and what explains its results, where that is asked for."""
    if not options.explain:
        return open_reader(options.run, options.checkpoint, options.overrides), None
    if opens_exported(options.run):
        message = "is an exported folder, which computes no gradients; --explain takes the folder of the run"
        raise ValueError(f"{options.run!r} {message}")
    task, folder = open_run(TOOLKIT, options.run, options.checkpoint, options.overrides)
    reader = reader_of(task, folder.path)
    return reader, explainer_of(task, reader)


@contextlib.contextmanager
def _page(file: str, run: Path) -> Iterator[ExplanationPage]:
    with writing(file), atomic_write(file) as stream:
        page = ExplanationPage(stream, f"What {run.name} goes by")
        yield page
        page.finish()


def _write_vectors(options: argparse.Namespace) -> int:
    """Write the vectors of texts, of their tokens, or both, as they come."""
    reader = open_encoder(options.run, options.checkpoint, options.overrides)
    row = (reader.settings["hidden_size"],)
    written = {}
    with contextlib.ExitStack() as stack:
        sentences = tokens = lines = None
        if options.features:
            stack.enter_context(writing(options.features))
            written[options.features] = sentences = stack.enter_context(array_file(options.features, row))
        if options.token_features:
            stack.enter_context(writing(options.token_features))
            token_row = (reader.settings["token_size"],)
            tokens = stack.enter_context(array_file(options.token_features, token_row))
            written[options.token_features] = tokens
            lines = stack.enter_context(atomic_write(Path(options.token_features).with_suffix(".jsonl")))
        for text, found in _results(reader, options):
            if sentences is not None:
                sentences.append(found.sentence[None])
            if tokens is not None and lines is not None:
                tokens.append(found.tokens)
                lines.write(_line({**_named(text), "offsets": found.offsets}))
    for file, array in written.items():
        print(f"wrote {file}: float32 {[array.count, *array.row]}")
    return 0


def record_of(text: Text, result: Any) -> dict[str, Any]:
    """Return what is written of a text and its result."""
    return {**_named(text), **result.record()}


def _named(text: Text) -> dict[str, Any]:
    return {"text": text[0], "text_pair": text[1]} if isinstance(text, tuple) else {"text": text}


def _line(record: dict[str, Any]) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def _results(reader: TextReader, options: argparse.Namespace) -> Iterator[tuple[Text, Any]]:
    given = [text for text in options.texts if text != STDIN]
    yield from _read(reader, map(_parted, given), options.batch_size)
    for file in options.file or ():
        yield from _read(reader, (_parted(line) for _, line in text_lines(file)), options.batch_size)
    if options.demo:
        yield from _read(reader, _demo(options), options.batch_size)
    if STDIN in options.texts:  # an answer to each line at once, for what asks before it goes on
        yield from _read(reader, map(_parted, _standard_input()), 1)


def _standard_input() -> Iterator[str]:
    for number, line in enumerate(sys.stdin.buffer, 1):
        yield decoded(line, f"standard input:{number}").rstrip("\r\n")


def _read(reader: TextReader, texts: Iterable[Text], size: int) -> Iterator[tuple[Text, Any]]:
    """Yield texts and what they say, some at a time; before a line that is no text, those that came before it."""
    waiting: list[Text] = []
    source, problem = iter(texts), None
    while problem is None:
        try:
            text = next(source)
        except StopIteration:
            break
        except ValueError as error:
            problem = error
            continue
        if waiting and isinstance(text, tuple) != isinstance(waiting[0], tuple):
            yield from zip(waiting, reader.predict(waiting, size))
            waiting = []
        waiting.append(text)
        if len(waiting) >= size:
            yield from zip(waiting, reader.predict(waiting, size))
            waiting = []
    yield from zip(waiting, reader.predict(waiting, size))
    if problem is not None:
        raise problem


def _parted(line: str) -> Text:
    first, tab, second = line.partition("\t")
    return (first, second) if tab else first


def _demo(options: argparse.Namespace) -> Iterator[Text]:
    """Return the first texts of the test split."""
    config: Optional[Any] = None
    file = Path(options.run) / "config.yaml"
    if file.is_file():
        config = TOOLKIT.load(file, options.overrides)
    if config is None:
        raise ValueError("--demo needs the folder of a run: an exported one holds no texts; give some")
    dataset = config.data.build_dataset(config.data.names[-1])
    for number in range(min(options.demo, len(dataset))):
        yield _text_of(dataset[number], config.task.arguments.get("units", "characters"))


def _text_of(sample: dict[str, Any], units: str) -> Text:
    """Return the text of a sample, or the pair."""
    if "source" in sample:
        return str(sample["source"])
    if "tokens" in sample:
        return ("" if units == "characters" else " ").join(sample["tokens"])
    if "choices" in sample:
        return (sample["context"], "\t".join([sample["question"], *sample["choices"]]))
    if "first_type" in sample:
        names = [sample["text"][slice(*sample[side])] for side in ("first", "second")]
        return sample["text"], "\t".join([*names, sample["first_type"], sample["second_type"]])
    if "passages" in sample:
        return sample["question"], "\t".join(sample["passages"])
    if "question" in sample:
        return sample["question"], sample["context"]
    return (sample["text"], sample["text_pair"]) if "text_pair" in sample else str(sample["text"])


def _shown(text: Text, most: int = 60) -> str:
    line = " | ".join(text) if isinstance(text, tuple) else text
    line = " ".join(line.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
