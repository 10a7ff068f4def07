"""Mutations of files: plain functions of bytes and a seeded `random.Random`."""

from __future__ import annotations

import io
import re
import zipfile

NUMBERS = [
    *(
        b"0",
        b"-1",
        b"1",
        b"2.5",
        b"1e308",
        b"1e-400",
        b"-0",
        b"99999999",
        b"2147483647",
    ),
    *(b"2147483648", b"4294967296", b"9223372036854775808", b"1e18", b"1e400", b"nan"),
    *(b"inf", b"-inf", b"1" * 400, b"0x10", b"1_000", b"1,5", b"", b"1e", b"."),
]
#: What means something in some format, or in an encoding, or to a terminal.
WORDS = [
    *(b"[", b"]", b"{", b"}", b",", b":", b";", b'"', b"\\ud800", b"\\u0000", b"null"),
    *(b"true", b"m=", b"n=", b"knapsack size=", b"sets", b'{"id": 1}', b"x" * 300),
    *(
        b"\0",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xc3",
        b"\r",
    ),
    *(b"\r\n", b"\n\n", b"\t", b" ", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xe2\x80\xae"),
    *(b"\x1b[2J", b"\x07", b"[" * 2000),
    *(b"<", b">", b"<!--", b"-->", b"<![CDATA[", b"<p>", b"</p>", b"<ul><li>", b"&#0;"),
    *(b"&#x110000;", b"&amp", b"<script>", b"<table>", b"<meta charset=undefined>"),
    *(b"<meta charset=utf-16>", b"<svg>", b"<base href=x>", b"</html>", b"<textarea>"),
    *(b"```\n", b"---\n", b"> ", b"- ", b"[a]: ", b"|-|\n", b"# ", b"![](", b"    x\n"),
    *(b"<DOC>", b"<TEXT>", b"</TEXT>", b"<DOCNO>", b"PK\x03\x04", b"PK\x01\x02"),
    *(
        b"<<",
        b">>",
        b"endobj",
        b"stream\n",
        b"/Length -1",
        b"/Count 99999999",
        b"%PDF-",
    ),
    *(
        b".. note:: ",
        b"::\n\n  ",
        b"====\n",
        b"``",
        b":a:`",
        b"|a|",
        b"|===\n",
        b"----\n",
    ),
    *(b"\\begin{figure}", b"\\end{", b"$$", b"\\[", b"\\section{", b"%", b"\\verb"),
    *(b"00:00:01,000 --> 00:00:02,000\n", b"<v Ann>", b"\nFrom a 2024\n", b"\n\n--b\n"),
    *(b"Content-Type: multipart/mixed; boundary=b\n", b"13/05/24, 10:00 - Ann: "),
]
#: What is repeated has at most this many bytes.
LARGE = 300_000
NUMBER = re.compile(rb"-?\d[\d.]*")
WORD = re.compile(rb"\S+")


def flip_bytes(content, random):
    """Set a few bytes to any value."""
    changed = bytearray(content)
    for _ in range(random.randint(1, 8)):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def cut(content, random):
    """Keep the start."""
    return content[: random.randrange(len(content) + 1)]


def remove(content, random):
    """Remove a piece."""
    first, last = sorted(random.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def repeat(content, random):
    """Repeat a piece, up to a thousand times."""
    first, last = sorted(random.randrange(len(content) + 1) for _ in range(2))
    repeated = content[first:last] * random.choice([2, 3, 100, 1000])
    return content[:first] + repeated[:LARGE] + content[last:]


def insert(content, random):
    """Insert words that mean something in some format."""
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(content) + 1)
        word = random.choice(WORDS) * random.choice([1, 1, 1, 1, 2, 100, 3000])
        content = content[:place] + word[:LARGE] + content[place:]
    return content


def replace_number(content, random):
    """Replace one of the numbers."""
    return _with_replaced(content, NUMBER, random.choice(NUMBERS), random)


def replace_word(content, random):
    """Replace one of the words."""
    return _with_replaced(content, WORD, random.choice(WORDS + NUMBERS), random)


def swap_lines(content, random):
    """Exchange two lines."""
    lines = content.split(b"\n")
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def splice(content, other, random):
    """Join the start of one file with the end of another one."""
    place = random.randrange(len(content) + 1)
    return content[:place] + other[random.randrange(len(other) + 1) :]


def mutate_member(content, random):
    """Mutate one file of a zip archive, and write a valid archive again."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    except Exception:
        return flip_bytes(content, random)  # an earlier mutation damaged it
    if not files:
        return content
    changed = random.choice(sorted(files))
    kind = random.randrange(4)
    if kind == 0:
        del files[changed]
    elif kind == 1:
        files[changed] = files[random.choice(sorted(files))]
    elif kind == 2:
        files[changed] += bytes(random.choice([1, 8, 10**6, 5 * 10**7]))
    else:
        files[changed] = random.choice(OF_ANY_FILE)(files[changed], random)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in files.items():
            archive.writestr(zipfile.ZipInfo(name), member)
    return file.getvalue()


OF_ANY_FILE = [
    *(flip_bytes, cut, remove, repeat, insert),
    *(replace_number, replace_number, replace_number, replace_word, swap_lines),
]


def mutated(contents, random):
    """One of the contents with one to three mutations, mostly one."""
    content = random.choice(contents)
    is_archive = content[:2] == b"PK"
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        if is_archive and random.random() < 0.7:
            content = mutate_member(content, random)
        elif random.random() < 0.1:
            content = splice(content, random.choice(contents), random)
        else:
            content = random.choice(OF_ANY_FILE)(content, random)
    return content


def _with_replaced(content, pattern, new, random):
    found = list(pattern.finditer(content))
    if not found:
        return content + new
    place = random.choice(found)
    return content[: place.start()] + new + content[place.end() :]
