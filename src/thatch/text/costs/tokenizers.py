"""Tokenizers by name or by path; nothing is downloaded."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from thatch.errors import FileFormatError, InputError, requiring
from thatch.text.costs.units import TOKENS, Unit, tokens_by

_HINT = (
    "Pass a Hugging Face tokenizer.json or its folder, a SentencePiece model, or a "
    "tiktoken vocabulary."
)
# A line of a vocabulary of tiktoken: a token in base64, and its rank.
_RANK = re.compile(rb"[A-Za-z0-9+/]+=* \d+\s")

# A vocabulary of tiktoken does not say where texts are split. These are the patterns
# of its encodings.
_GPT2_SPLIT = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_CL100K_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_O200K_SPLIT = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_SPLITS = {
    "r50k_base": _GPT2_SPLIT,
    "p50k_base": _GPT2_SPLIT,
    "cl100k_base": _CL100K_SPLIT,
    "o200k_base": _O200K_SPLIT,
}
_ENCODING_OF_NUM_RANKS = {
    50_256: "r50k_base",
    50_280: "p50k_base",
    100_256: "cl100k_base",
    199_998: "o200k_base",
}


def tokens_by_file(name: str) -> Unit:
    """Tokens of the tokenizer in a file, or in the ``tokenizer.json`` of a folder.

    The kind of the file is recognized by its content.
    """
    path = Path(name)
    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            f"tokenizer is {name!r}; it must be an existing file"
            + (", or a folder with a tokenizer.json." if file != path else "."),
            hint=f"{_HINT} Nothing is downloaded.",
        )
    try:
        stat = file.stat()
        # Workers that summarize many texts read the file once.
        return _loaded(file.resolve(), stat.st_mtime_ns, stat.st_size)
    except OSError as error:
        raise InputError(
            f"tokenizer {name!r} cannot be read: {error.strerror or error}.",
            hint="Check the permissions of the file.",
        ) from error


@lru_cache(maxsize=4)
def _loaded(file: Path, modified: int, size: int) -> Unit:
    return tokens_by(_reader_of(file)(file))


def _reader_of(file: Path) -> Callable[[Path], Any]:
    with file.open("rb") as opened:
        start = opened.read(1000)
    if start.lstrip().startswith(b"{"):
        return _read_hugging_face
    if _RANK.match(start):
        return _read_tiktoken
    # The first field of a model of SentencePiece is its list of pieces.
    if start.startswith(b"\n"):
        return _read_sentencepiece
    raise FileFormatError(file, "the tokenizer format was not recognized.", hint=_HINT)


def _read_hugging_face(file: Path) -> Any:
    package = _package("tokenizers")
    try:
        tokenizer = package.Tokenizer.from_file(str(file))
    except Exception as error:  # the package raises nothing more specific
        raise FileFormatError(
            file, f"this is not a Hugging Face tokenizer: {error}.", hint=_HINT
        ) from error
    # Text that looks like a special token is text.
    tokenizer.encode_special_tokens = True
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _read_sentencepiece(file: Path) -> Any:
    package = _package("sentencepiece")
    try:
        return package.SentencePieceProcessor(model_proto=file.read_bytes())
    except RuntimeError as error:
        raise FileFormatError(
            file, f"this is not a SentencePiece model: {error}.", hint=_HINT
        ) from error


def _read_tiktoken(file: Path) -> Any:
    package = _package("tiktoken")
    ranks = _ranks(file)
    name = file.name.removesuffix(".tiktoken")
    if name not in _SPLITS:
        name = _ENCODING_OF_NUM_RANKS.get(len(ranks), "")
    if not name:
        raise FileFormatError(
            file,
            f"the vocabulary has {len(ranks):,} tokens, which fits no known encoding, "
            "so thatch cannot tell where to split texts.",
            hint="Name the file after the encoding, such as cl100k_base.tiktoken; or "
            "make a tiktoken.Encoding, and pass it to tokens_by.",
        )
    return package.Encoding(
        name, pat_str=_SPLITS[name], mergeable_ranks=ranks, special_tokens={}
    )


def _ranks(file: Path) -> dict[bytes, int]:
    ranks = {}
    for k, line in enumerate(file.read_bytes().splitlines(), start=1):
        if not line:
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (binascii.Error, ValueError):
            raise FileFormatError(
                file,
                f"expected a token in base64 and its rank, got {line[:40]!r}.",
                line=k,
                hint=_HINT,
            ) from None
    return ranks


def _package(name: str) -> Any:
    with requiring("tokenizer", package=name, extra="tokenizers"):
        return import_module(name)


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
            f"tokenizer {name!r} is not a tiktoken encoding or model.",
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
