"""PDFs for the tests, written by hand: what they contain is known exactly."""

from __future__ import annotations

import io

WIDTH, HEIGHT = 600, 800
FONTS = ("Helvetica", "Helvetica-Bold")
# Text matrices by the angle of the text, counterclockwise.
_MATRICES = {0: "1 0 0 1", 90: "0 1 -1 0", 180: "-1 0 0 -1", 270: "0 -1 1 0"}
_PICTURE = "q 100 0 0 100 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q"


def pdf(*pages, rotation=0, angle=0):
    """Return a PDF.

    Parameters
    ----------
    pages
        Each a list of (x, y, size, text), or of (x, y, size, text, font), where a font
        is an index in `FONTS`; "picture" is a page with a picture alone.
    rotation
        By how much a viewer turns the pages, clockwise.
    angle
        By how much the text is turned, counterclockwise.
    """
    first = 3 + len(FONTS)
    kids = " ".join(f"{first + 2 * k} 0 R" for k in range(len(pages)))
    fonts = " ".join(f"/F{k} {3 + k} 0 R" for k in range(len(FONTS)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        *(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} "
            "/Encoding /WinAnsiEncoding >>"
            for font in FONTS
        ),
    ]
    box = f"{HEIGHT} {WIDTH}" if angle in (90, 270) else f"{WIDTH} {HEIGHT}"
    for k, page in enumerate(pages):
        shown = _PICTURE if page == "picture" else _content(page, angle)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {box}] "
            f"/Rotate {rotation} /Contents {first + 1 + 2 * k} 0 R "
            f"/Resources << /Font << {fonts} >> >> >>"
        )
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
    return with_index(objects)


def _content(page, angle):
    return "\n".join(
        f"BT /F{font[0] if font else 0} {size} Tf {_MATRICES[angle]} "
        f"{' '.join(map(str, _turned(x, y, angle)))} Tm ({text}) Tj ET"
        for x, y, size, text, *font in page
    )


def _turned(x, y, angle):
    """Where a place of an upright page is, if the page is turned."""
    return {
        0: (x, y),
        90: (HEIGHT - y, x),
        180: (WIDTH - x, HEIGHT - y),
        270: (y, WIDTH - x),
    }[angle]


def with_index(objects):
    """Return the file with these objects, numbered from 1."""
    file = io.BytesIO()
    file.write(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(file.tell())
        file.write(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
    start = file.tell()
    rows = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    file.write(f"xref\n0 {size}\n0000000000 65535 f \n{rows}".encode())
    file.write(f"trailer << /Size {size} /Root 1 0 R >>\n".encode())
    file.write(f"startxref\n{start}\n%%EOF\n".encode())
    return file.getvalue()


def lines(*texts, first=700, left=50, size=11):
    """Return lines of text below each other, for `pdf`."""
    return [(left, first - 14 * k, size, text) for k, text in enumerate(texts)]
