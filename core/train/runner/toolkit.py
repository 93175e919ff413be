"""The record of a toolkit, from which its commands follow."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Sequence
from typing import Any

from core.train.config.schema import describe_schema, load_config, tables_of
from core.train.config.table import Table
from core.train.config.yaml_file import ConfigError
from core.train.runner.config import BaseExperiment


@dataclasses.dataclass(frozen=True)
class Toolkit:
    """What a toolkit has.

    Attributes:
        name: of its package, in whose folder its commands are: "PaddleClas".
        schema: of its configs; the tables of tasks, networks, data sets, transforms and losses are those that its keys
            name.
        inference: "module:function" of ``infer.py``: called with the toolkit and the command line's options, returns
            the exit code.
        preview: "module:function" of ``preview.py``, likewise.
    """

    name: str
    schema: type[BaseExperiment]
    inference: str = "core.train.runner.inference:infer"
    preview: str = "core.train.runner.previewing:preview"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables of what a config can name, by key."""
        return tables_of(self.schema)

    @property
    def tasks(self) -> Table:
        """The table of tasks."""
        return self.tables["task"]

    def keys(self) -> list[str]:
        """Return one line for each key that a config may have, and one for each setting of what a config can name."""
        lines = describe_schema(self.schema)
        for key, table in self.tables.items():
            lines += [f"{key}: {table.describe(name)}" for name in table.entries]
        return lines

    def load(self, path: Any, overrides: Sequence[str] = (), quiet: bool = False) -> Any:
        """Return a checked config, as :func:`core.train.load_config`; of another toolkit's, the task alone is said."""
        try:
            return load_config(self.schema, path, overrides, quiet)
        except ConfigError as error:
            count = len(str(error).splitlines()) - 1
            if "task" not in error.unknown or not count:
                raise
            question = f"is it of another toolkit than {self.name}?"
            raise ConfigError(f"{error.unknown['task']}; {count} more mistakes follow: {question}") from None

    def build_task(self, config: Any) -> Any:
        """Return the task that a config describes.

        Args:
            config: the experiment.
        """
        return self.tasks.build(config.task, config=config)

    def function(self, place: str) -> Any:
        """Return the function at "module:function"."""
        module, _, name = place.partition(":")
        return getattr(importlib.import_module(module), name)
