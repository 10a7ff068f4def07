"""Six notes and a question: how relevant each is, and which fit 260 tokens."""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure

import thatch
from thatch.plot.drawing import BLUE, LIGHT_GREY, in_house_style, save_both_themes

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "context.png"
QUESTION = "Why did the nightly import fail?"


def drawn(context: thatch.Context) -> Figure:
    """One bar per note, the most relevant on top, with its tokens or why it is out."""
    bars = [
        (each.relevance, each.chunk["source"], f"{each.tokens:.0f} tokens", BLUE)
        for each in context.chunks
    ]
    bars += [
        (each.relevance, each.chunk["source"], each.explanation, LIGHT_GREY)
        for each in context.dropped
    ]
    bars.sort()
    with in_house_style():
        figure = Figure(figsize=(6.4, 3.2), layout="constrained")
        axes = figure.subplots()
        relevances, sources, notes, colors = zip(*bars, strict=True)
        axes.barh(sources, relevances, color=colors, height=0.62)
        for y, (relevance, note) in enumerate(zip(relevances, notes, strict=True)):
            axes.text(relevance + 0.015, y, note, va="center", fontsize=8)
        axes.set_xlim(0, 1.25)
        axes.set_xticks([0, 0.5, 1])
        axes.set_xlabel("relevance to the question")
        size = f"{context.tokens:.0f} of {context.budget:.0f} tokens"
        axes.set_title(f"“{QUESTION}”: {size}", loc="left", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Draw into the file given, or into the documentation."""
    notes = [
        {"source": path.name, "text": path.read_text()}
        for path in sorted((ROOT / "examples" / "notes").glob("*.md"))
    ]
    context = thatch.select(notes, 260, query=QUESTION)
    save_both_themes(drawn(context), sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
