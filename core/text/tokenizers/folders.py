"""Folders that hold a tokeniser: vocabulary files and ``tokenizer_config.json``, as paddlenlp writes them."""

from __future__ import annotations

import inspect
import json
import os
import shutil
from typing import Any, ClassVar, TypeVar, Union

from core.io.files import is_url, join_path, read_bytes

CONFIG = "tokenizer_config.json"
ADDED = "added_tokens.json"
Self = TypeVar("Self", bound="Folders")


class Folders:
    """Saving and loading, for classes whose constructors take files and settings."""

    resource_files_names: ClassVar[dict[str, str]] = {"vocab_file": "vocab.txt"}
    added_tokens_encoder: dict[str, int]

    def settings(self) -> dict[str, Any]:
        """Return the constructor's arguments that are no files; those that are attributes of the same name."""
        names = [name for name in inspect.signature(type(self)).parameters if name not in self.resource_files_names]
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def save_resources(self, folder: str) -> None:
        """Write the files of ``resource_files_names`` into a folder."""
        for argument, name in self.resource_files_names.items():
            source = getattr(self, argument, None)
            target = os.path.join(folder, name)
            if source is not None and not (os.path.exists(target) and os.path.samefile(source, target)):
                shutil.copyfile(source, target)

    def save_pretrained(self, save_directory: Union[str, os.PathLike[str]]) -> None:
        """Write the tokeniser into a folder, from which :meth:`from_pretrained` and paddlenlp read it.

        Raises:
            OSError: it cannot be written.
        """
        folder = os.fspath(save_directory)
        os.makedirs(folder, exist_ok=True)
        self.save_resources(folder)
        config = {**self.settings(), "tokenizer_class": type(self).__name__}
        _write(os.path.join(folder, CONFIG), config)
        if self.added_tokens_encoder:
            _write(os.path.join(folder, ADDED), self.added_tokens_encoder)

    @classmethod
    def from_pretrained(cls: type[Self], folder: Union[str, os.PathLike[str]], **settings: Any) -> Self:
        """Return the tokeniser of a folder.

        Args:
            folder: a local folder or a URL, with the files of ``resource_files_names`` and ``tokenizer_config.json``.
            **settings: of the constructor, in place of those of the folder.

        Raises:
            FileNotFoundError: a file of the tokeniser is not there.
            ValueError: the folder holds another class's tokeniser, or a file is damaged.
        """
        root = os.fspath(folder)
        files = {argument: join_path(root, name) for argument, name in cls.resource_files_names.items()}
        if not is_url(root):
            parameters = inspect.signature(cls).parameters
            for argument, path in list(files.items()):
                if os.path.exists(path):
                    continue
                if parameters[argument].default is inspect.Parameter.empty:
                    raise FileNotFoundError(f"no file {path!r}, which a folder of a {cls.__name__} has")
                del files[argument]
        stored = read_config(join_path(root, CONFIG))
        name = stored.get("tokenizer_class", cls.__name__)
        if name != cls.__name__:
            raise ValueError(f"{root}: the tokeniser of a {name}, and not of a {cls.__name__}")
        known = set(inspect.signature(cls).parameters) - set(cls.resource_files_names)
        arguments = {key: value for key, value in stored.items() if key in known}
        tokenizer = cls(**files, **{**arguments, **settings})
        added = read_config(join_path(root, ADDED))
        for token in sorted(added, key=lambda key: (len(str(added[key])), str(added[key]))):
            tokenizer.add_tokens(token)  # type: ignore[attr-defined]  # of PretrainedTokenizer
        return tokenizer


def _write(path: str, content: dict[str, Any]) -> None:
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(content, stream, ensure_ascii=False, indent=1)
        stream.write("\n")


def read_config(path: str) -> dict[str, Any]:
    """Return the settings of a file; none where there is no such file.

    Raises:
        ValueError: it is damaged.
    """
    try:
        content = json.loads(read_bytes(path))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: no JSON: {type(error).__name__}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: no mapping of names to settings")
    return content
