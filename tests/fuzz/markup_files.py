"""Valid files of the formats that are text with markup, mail, subtitles and books."""

from __future__ import annotations

import io
import zipfile

SENTENCES = (
    "The bridge closed on Monday morning.",
    "Engineers had found cracks in two piers, Dr. Hu said.",
    "“How long?” asked the mayor of St. Ives, and nobody answered.",
    "Die Fähre fährt stündlich.",
    "雪下了一整天。桥关闭了。",
    "Shops near the bridge expect losses of 3.5 million.",
)


def paragraph(rng, num_sentences=4):
    """Sentences on several lines."""
    return "".join(
        rng.choice(SENTENCES) + rng.choice((" ", "\n")) for _ in range(num_sentences)
    ).strip()


def rst(rng):
    indented = paragraph(rng).replace("\n", "\n   ")
    return (
        f"Bridge\n======\n\n:Date: 2024-05-01\n\n{paragraph(rng)} *Em* ``x`` `a <b>`_ "
        f"[1]_ :ref:`the bridge <c>` |s|::\n\n    code\n\nTwo\n---\n\n"
        f"- {paragraph(rng, 1)}\n- b\n\n.. note:: {indented}\n\n.. code-block:: py"
        "\n\n   x\n\n.. [1] note\n"
        ".. |s| replace:: ice\n\nterm\n    definition\n\n=== ===\na   b\n=== ===\n\n"
        f"{paragraph(rng)}\n"
    ).encode()


def asciidoc(rng):
    return (
        f"= Bridge\nAnn\n:toc:\n\n{paragraph(rng)} *bold* _it_ `x` https://b.org[link]\n\n"
        f"== Two\n\n* {paragraph(rng, 1)}\n** b\n\n----\ncode\n----\n\n"
        f"NOTE: {paragraph(rng)}\n\n|===\n| a | b\n|===\n\n"
        "term:: definition\n\n.Title\nimage::a.png[]\n"
    ).encode()


def latex(rng):
    return (
        "\\documentclass{article}\n\\title{Bridge}\n\\begin{document}\n\\maketitle\n"
        f"\\section{{One}} {paragraph(rng)} \\emph{{it}}~\\cite{{a}} --- ``q'' $x^2$"
        f" % c\n{paragraph(rng)}\n\n\\begin{{itemize}}\n\\item {paragraph(rng, 1)}\n"
        "\\end{itemize}\n\\[ x \\]\n\\begin{figure}\\caption{Cap.}\\end{figure}"
        " caf\\'e \\verb|x|\n"
        "\\begin{thebibliography}{9}\\bibitem{a} A.\n"
        "\\end{thebibliography}\n\\end{document}"
    ).encode()


def _cues(rng, separator):
    return "".join(
        f"{k}\n00:00:{2 * k:02}{separator}000 --> 00:00:{2 * k + 2:02}{separator}000\n"
        f"{rng.choice(('', '<i>', '- ', 'ANN: '))}{rng.choice(SENTENCES)}\n\n"
        for k in range(1, 12)
    )


def srt(rng):
    return _cues(rng, ",").encode()


def vtt(rng):
    return (
        f"WEBVTT\n\nNOTE no\n\n{_cues(rng, '.').replace('ANN: ', '<v Ann>')}".encode()
    )


def eml(rng):
    return (
        "From: Ann <a@b.org>\nSubject: =?utf-8?q?Br=C3=BCcke?=\n"
        "Date: Mon, 6 May 2024 10:30:00 +0200\nMIME-Version: 1.0\n"
        'Content-Type: multipart/alternative; boundary="b"\n\n--b\n'
        "Content-Type: text/plain; charset=utf-8\n\n"
        f"{paragraph(rng)}\n\nOn Monday, Bob wrote:\n> {paragraph(rng, 1)}\n\n"
        f"{paragraph(rng)}\n-- \nAnn\n--b\nContent-Type: text/html\n\n<p>x</p>\n--b--\n"
    ).encode()


def mbox(rng):
    start = b"From a@b.org Mon May  6 10:30:00 2024\n"
    return b"".join(start + eml(rng) + b"\n" for _ in range(3))


def chat(rng):
    return "".join(
        f"13/05/24, 10:{k:02} - {rng.choice(('Ann', 'Bob'))}: {rng.choice(SENTENCES)}\n"
        for k in range(12)
    ).encode()


def epub(rng):
    items = "".join(
        f'<item id="c{k}" href="c{k}.xhtml" media-type="application/xhtml+xml"/>'
        for k in range(2)
    )
    spine = "".join(f'<itemref idref="c{k}"/>' for k in range(2))
    root = '<rootfile full-path="a.opf"/>'
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f"<container>{root}</container>",
        "a.opf": f"<package><metadata><title>T</title></metadata><manifest>{items}"
        f"</manifest><spine>{spine}</spine></package>",
        **{
            f"c{k}.xhtml": f"<html><h1>C{k}</h1><p>{paragraph(rng)}</p><pre>x</pre>"
            for k in range(2)
        },
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return file.getvalue()


#: A function that makes a valid file, by suffix.
VALID = {
    ".rst": rst,
    ".adoc": asciidoc,
    ".tex": latex,
    ".srt": srt,
    ".vtt": vtt,
    ".eml": eml,
    ".mbox": mbox,
    ".epub": epub,
    ".text": chat,  # read as plain text
}
