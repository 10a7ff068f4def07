"""Documents: valid files of every kind that are mutated, and hostile ones.

Each must be summarized, or refused as invalid input.
"""

import io
import json
import zipfile
import zlib
from functools import cache
from itertools import pairwise
from random import Random

from fuzz import markup_files
from fuzz.commands import failure_of_command, preload
from fuzz.mutations import LARGE, WORDS, mutated

SENTENCES = (
    "The bridge closed on Monday morning.",
    "Engineers had found cracks in two piers, Dr. Hu said.",
    "“How long?” asked the mayor of St. Ives, and nobody answered.",
    "Die Fähre fährt stündlich.",
    "雪下了一整天。桥关闭了。",
    "Shops near the bridge expect losses of 3.5 million.",
    "هل هذا نص؟ نعم.",
)
_BOMB = 200_000_000


def case(rng):
    """A document as suffix and content."""
    if rng.random() < 0.04:
        return rng.choice(HOSTILE)(rng)
    suffix = rng.choice(list(VALID))
    content = mutated([VALID[suffix](rng)], rng)
    if rng.random() < 0.05:  # the wrong reader
        suffix = rng.choice(list(VALID))
    return suffix, content


def failure_of(path):
    """What is wrong with how ``thatch summarize`` ends on a file."""
    preload("summarize", {suffix: [make(Random(0))] for suffix, make in VALID.items()})
    return failure_of_command("summarize", path)


def prose(rng, num_sentences=12):
    """Sentences, some of them with a line or paragraph break after them."""
    ends = (" ", " ", "\n", "\n\n")
    return "".join(
        rng.choice(SENTENCES) + rng.choice(ends) for _ in range(num_sentences)
    )


def plain_text(rng):
    encoding = rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32"))
    return prose(rng).encode(encoding)


def markdown(rng):
    return (
        f"---\ntitle: a\n---\n# Bridge\n\n{prose(rng)}\n\n- one\n  - two\n\n"
        f"> {prose(rng, 2)}"
        "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n\n[a]:\n  <http://b>\n\n"
        "<!-- no -->\nTitle\n=====\n[^1]: note\n"
    ).encode()


def html(rng):
    paragraphs = "".join(f"<p>{text}</p>" for text in prose(rng).split("\n"))
    return (
        "<!doctype html><html><head><meta charset=utf-8><title>t</title></head><body>"
        f"<nav>Home</nav><h1>Bridge</h1>{paragraphs}<ul><li>one<li>two</ul>"
        "<table><tr><td>a<td>b</table><pre>x = 1</pre><!-- c --><script>1<2</script>"
        "<footer>&copy; x</footer></body></html>"
    ).encode()


def xhtml(rng):
    return b"<?xml version='1.0' encoding='utf-8'?>" + html(rng)


def csv(rng):
    return "".join(f'{k},"{rng.choice(SENTENCES)}"\r\n' for k in range(9)).encode()


def json_lines(rng):
    rows = ({"id": k, "documents": [rng.choice(SENTENCES)]} for k in range(9))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def sgml(rng):
    return (
        "<DOC>\n<DOCNO> APW1 </DOCNO>\n<TEXT>\n<P> OSLO, Norway (AP) _ "
        f"{prose(rng)}</P>\n</TEXT>\n</DOC>\n"
    ).encode()


def pdf(rng, stream=None, filters=b"", kids=b"3 0 R", count=b"1"):
    """A PDF of one page; `stream` replaces the content of the page."""
    if stream is None:
        rows = (text.encode("ascii", "replace") for text in prose(rng).splitlines())
        shown = b"".join(b"(%b) Tj 0 -14 Td\n" % row for row in rows)
        stream = b"BT /F1 12 Tf 50 700 Td\n" + shown + b"ET"
        if rng.random() < 0.5:
            stream, filters = zlib.compress(stream), b"/Filter /FlateDecode"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%b] /Count %b >>" % (kids, count),
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(stream), filters, stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    file, places = io.BytesIO(), []
    file.write(b"%PDF-1.4\n")
    for number, content in enumerate(objects, start=1):
        places.append(file.tell())
        file.write(b"%d 0 obj\n%b\nendobj\n" % (number, content))
    index = file.tell()
    file.write(b"xref\n0 6\n0000000000 65535 f \n")
    file.writelines(b"%010d 00000 n \n" % place for place in places)
    file.write(b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % index)
    return file.getvalue()


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_MAIN = (
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
)


def docx(rng, body=None, doctype=""):
    """A Word document; `body` replaces the XML of its paragraphs."""
    if body is None:
        texts = prose(rng).split("\n")
        body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)
        cell = "<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>"
        body += f"<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_MAIN}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_OFFICE}/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'{doctype}<w:document xmlns:w="{_WORD}"><w:body>'
        f"{body}</w:body></w:document>",
    }
    return _zipped({name: text.encode() for name, text in parts.items()})


def _zipped(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


@cache
def deflated(num_bytes, character):
    """Repeated characters, compressed to a thousandth or less."""
    compressor = zlib.compressobj(9)
    piece = (character * (1 << 20))[: 1 << 20]
    pieces = [compressor.compress(piece) for _ in range(num_bytes >> 20)]
    return b"".join(pieces) + compressor.flush()


def zip_bomb(rng):
    """A Word document whose main part has hundreds of megabytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with zipfile.ZipFile(io.BytesIO(docx(rng))) as valid:
            for name in valid.namelist()[:2]:
                archive.writestr(name, valid.read(name))
        with archive.open("word/document.xml", "w") as part:
            part.write(f'<w:document xmlns:w="{_WORD}"><w:body>'.encode())
            repeated = rng.choice((b" ", b"<w:p/>", b"<w:p>"))
            for _ in range(_BOMB >> 20):
                part.write((repeated * (1 << 20))[: 1 << 20])
            part.write(b"</w:body></w:document>")
    return ".docx", file.getvalue()


def entity_bomb(rng):
    """A Word document with entities that contain each other."""
    names = "abcdefghij"
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in pairwise(names)
    )
    body = "<w:p><w:r><w:t>&j;</w:t></w:r></w:p>"
    return ".docx", docx(rng, body, f"<!DOCTYPE x [{entities}]>")


def deep_docx(rng):
    """Tables in tables, or runs in paragraphs without an end."""
    depth = rng.choice((200, 5_000, 50_000))
    opening = rng.choice(("<w:tbl><w:tr><w:tc>", "<w:p>", "<w:sdt><w:sdtContent>"))
    closing = "".join(f"</{tag}" for tag in reversed(opening.split("<")[1:]))
    return ".docx", docx(rng, opening * depth + closing * depth)


def wide_docx(rng):
    """A table of many cells, or many empty paragraphs."""
    cells = "<w:tr>" + "<w:tc><w:p/></w:tc>" * 200 + "</w:tr>"
    body = rng.choice((f"<w:tbl>{cells * 100}</w:tbl>", "<w:p/>" * 500_000))
    return ".docx", docx(rng, body)


def stream_bomb(rng):
    """A PDF whose page expands a thousand or a million times."""
    show = b"(Snow fell on the town.) Tj 0 -14 Td\n"
    once = deflated(_BOMB, rng.choice((b" ", b"q ", b"(a) Tj ", show)))
    if rng.random() < 0.5:
        return ".pdf", pdf(rng, once, b"/Filter /FlateDecode")
    twice = zlib.compress(once, 9)
    return ".pdf", pdf(rng, twice, b"/Filter [/FlateDecode /FlateDecode]")


def page_bomb(rng):
    """A PDF that claims many pages, or has one page many times."""
    num_pages = rng.choice((1_000, 50_000, 2_000_000_000))
    kids = b"3 0 R " * min(num_pages, 50_000)
    return ".pdf", pdf(rng, kids=kids, count=b"%d" % num_pages)


def circular_pdf(rng):
    """A PDF whose pages contain themselves."""
    return ".pdf", pdf(rng, kids=b"2 0 R 3 0 R", count=b"2")


def deep_html(rng):
    """Elements that are opened and never closed."""
    tags = rng.choices(("div", "b", "ul", "li", "table", "tr", "td", "a", "span"), k=3)
    opening = "".join(f"<{tag}>" for tag in tags)
    page = opening * (LARGE // len(opening)) + prose(rng)
    return ".html", page.encode()


def unfinished_html(rng):
    """Tags, comments and attributes without an end."""
    names = ("<a ", "<a b='", "<!--", "<?", "</", "<", "&", "<p", "<![", "<script>")
    opening = rng.choice(names)
    return ".html", (opening * (LARGE // len(opening)) + prose(rng)).encode()


def repeated_tokens(rng):
    """A file of any kind that repeats one or two tokens."""
    token = b"".join(rng.choices(WORDS, k=rng.choice((1, 1, 2))))
    suffix = rng.choice(list(VALID))
    return suffix, token * (LARGE // len(token))


def one_line(rng):
    """A text of one line, word or sentence."""
    unit = rng.choice(("a", "word ", "雪", "x.", "a-", "1", "Dr. ", "“", "“A. ", "。"))
    suffix = rng.choice((".txt", ".md", ".html", ".csv", ".jsonl", ".sgml"))
    return suffix, (unit * (LARGE // len(unit.encode()))).encode()


def tiny_sentences(rng):
    """As many sentences as possible."""
    make = rng.choice(
        (
            lambda k: "A. ",
            lambda k: f"{k}. ",
            lambda k: f"W{k}.\n\n",
            lambda k: f"Snow {rng.randrange(99)}! ",
            lambda k: "雪。",
        )
    )
    suffix = rng.choice((".txt", ".md", ".html"))
    return suffix, "".join(map(make, range(LARGE // 6))).encode()


def mixed_encodings(rng):
    """Sentences in several encodings, one after the other."""
    names = ("utf-8", "latin-1", "utf-16", "utf-16-be", "shift-jis", "utf-7", "cp1252")
    pieces = (text.encode(rng.choice(names), "replace") for text in SENTENCES * 3)
    return rng.choice(list(VALID)), b"".join(pieces)


def odd_characters(rng):
    """Control characters, surrogates, marks and unassigned characters."""
    codes = (
        *range(32),
        *range(127, 160),
        0x300,
        0x200D,
        0x202E,
        0xD800,
        0xFFFF,
        0xE0001,
    )
    odd = "".join(chr(rng.choice(codes)) for _ in range(2_000))
    text = "".join(rng.choice((prose(rng, 1), odd[:20], odd[-300:])) for _ in range(50))
    return rng.choice(list(VALID)), text.encode("utf-8", "surrogatepass")


VALID = {
    ".txt": plain_text,
    ".md": markdown,
    ".html": html,
    ".xhtml": xhtml,
    ".pdf": pdf,
    ".docx": docx,
    ".csv": csv,
    ".jsonl": json_lines,
    ".sgml": sgml,
    **markup_files.VALID,
}
HOSTILE = (
    *(
        zip_bomb,
        entity_bomb,
        deep_docx,
        wide_docx,
        stream_bomb,
        page_bomb,
        circular_pdf,
    ),
    *(deep_html, unfinished_html, repeated_tokens, repeated_tokens, one_line, one_line),
    *(tiny_sentences, tiny_sentences, mixed_encodings, mixed_encodings, odd_characters),
    odd_characters,
)
