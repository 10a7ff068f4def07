"""Citations: where each sentence of a summary is from."""

from __future__ import annotations

from thatch.text.choices import CitationStyle, citation_style_of
from thatch.text.markdown_text import as_markdown_text
from thatch.text.summary import ChosenPassage, LeftOutPassage, Summary


def cited(
    summary: Summary,
    style: CitationStyle | str = CitationStyle.NUMBERS,
    *,
    is_markdown: bool = False,
) -> str:
    r"""Return the summary with the source of each passage.

    The citations are not part of the budget. Passages with one source share a number.

    Parameters
    ----------
    summary
        The summary.
    style
        ``numbers``, ``footnotes`` or ``inline``.
    is_markdown
        Whether it is Markdown, which shows what the sources contain as it is.

    >>> import thatch
    >>> report = thatch.Document("Snow fell.\nSnow fell all day.", name="report.txt")
    >>> print(cited(thatch.summarize(report, budget=4)))
    Snow fell all day. [1]
    <BLANKLINE>
    [1] report.txt, line 2
    """
    escape = as_markdown_text if is_markdown else str
    places = [escape(described_place(sentence)) for sentence in summary.sentences]
    numbers = {place: k for k, place in enumerate(dict.fromkeys(places), start=1)}
    mark, entry = _FORMATS[citation_style_of(style)]
    texts = (
        escape(text) + mark.format(k=numbers[place], place=place)
        for text, place in zip(summary.printed_passages, places, strict=True)
    )
    text = summary.arranged(texts, escape)
    if not (entry and places):
        return text
    entries = "\n".join(entry.format(k=k, place=p) for p, k in numbers.items())
    return f"{text}\n\n{entries}"


def described_place(passage: ChosenPassage | LeftOutPassage) -> str:
    """Name the place of a passage: its document, and page, time or line."""
    document = passage.document
    name = document if isinstance(document, str) else f"document {document + 1}"
    return ", ".join([name, *place_facts(passage)])


def place_facts(passage: ChosenPassage | LeftOutPassage) -> list[str]:
    """Where a passage is in its document: page, speaker, time, line or heading.

    >>> import thatch
    >>> summary = thatch.summarize("Snow fell.", budget=2)
    >>> place_facts(summary.sentences[0])
    ['line 1']
    """
    facts = []
    if passage.page is not None:
        facts.append(f"p. {passage.page}")
    if passage.speaker:
        facts.append(passage.speaker)
    if passage.time:
        facts.append(passage.time)
    elif passage.line is not None:
        facts.append(f"line {passage.line}")
    elif passage.page is None and passage.headings:
        facts.append(passage.headings[-1])
    return facts


#: For each style: what follows a passage, and an entry of the list of sources.
_FORMATS = {
    CitationStyle.NUMBERS: (" [{k}]", "[{k}] {place}"),
    CitationStyle.FOOTNOTES: ("[^{k}]", "[^{k}]: {place}"),
    CitationStyle.INLINE: (" ({place})", ""),
}
