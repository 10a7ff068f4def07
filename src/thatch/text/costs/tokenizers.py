"""Tokenizers by name or by path; nothing is downloaded."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from thatch.errors import InputError
from thatch.text.costs.tokenizer_files import tokens_by_file
from thatch.text.costs.units import TOKENS, Unit, tokens_by

# tiktoken caches a vocabulary under the hash of its download address.
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"
_VOCABULARY_OF = {"p50k_edit": "p50k_base", "o200k_harmony": "o200k_base"}
_FILE_SUFFIXES = (".json", ".model", ".tiktoken")


def tokens_by_name(name: str) -> Unit:
    """Tokens of a tiktoken encoding or model, or of a tokenizer in a file.

    If tiktoken or the vocabulary of an encoding is missing, tokens are estimated, and
    the note of the unit says so.

    Parameters
    ----------
    name
        An encoding or model that tiktoken knows, such as ``cl100k_base`` or ``gpt-4o``;
        or the path of a tokenizer: a ``tokenizer.json`` of Hugging Face or the folder
        that contains it, a model of SentencePiece, or a vocabulary of tiktoken. What
        contains a slash or ends in ``.json``, ``.model`` or ``.tiktoken`` is a path,
        and everything else is a name.

    Raises
    ------
    InputError
        If tiktoken knows no encoding or model of that name, or if there is no file, or
        one of another kind.
    MissingExtraError
        If the package that reads the file is not installed.

    >>> tokens_by_name("cl100k_base").measure("Four words are here.") > 3
    True
    """
    if is_tokenizer_path(name):
        return tokens_by_file(name)
    try:
        import tiktoken
    except ImportError:
        return TOKENS.with_note("tokens are estimated: tiktoken is not installed")
    encoding = _encoding_name(name, tiktoken)
    vocabulary = _VOCABULARY_OF.get(encoding, encoding)
    if not _is_on_disk(_ADDRESS.format(vocabulary)):
        return TOKENS.with_note(
            f"tokens are estimated: tiktoken has no vocabulary {vocabulary} on this "
            "disk, and thatch downloads nothing"
        )
    try:
        return tokens_by(tiktoken.get_encoding(encoding))
    except (OSError, ValueError) as error:
        return TOKENS.with_note(
            f"tokens are estimated: the vocabulary {vocabulary} cannot be read: {error}"
        )


def is_tokenizer_path(name: str) -> bool:
    """Whether the name of a tokenizer means a file or folder.

    >>> is_tokenizer_path("gpt-4o"), is_tokenizer_path("./gpt-4o")
    (False, True)
    """
    separators = {"/", os.sep, os.altsep or os.sep}
    return name.endswith(_FILE_SUFFIXES) or not separators.isdisjoint(name)


def _encoding_name(name: str, tiktoken: Any) -> str:
    known = tiktoken.list_encoding_names()
    if name in known:
        return name
    try:
        return str(tiktoken.encoding_name_for_model(name))
    except KeyError:
        raise InputError(
            f"tokenizer {name!r} is neither an encoding nor a model of tiktoken.",
            hint=f"The encodings are {', '.join(known)}. For a file, pass its path: "
            f"./{name}",
        ) from None


def _is_on_disk(address: str) -> bool:
    default = Path(tempfile.gettempdir()) / "data-gym-cache"
    folder = os.environ.get(
        "TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", str(default))
    )
    key = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
    return bool(folder) and (Path(folder) / key).is_file()
