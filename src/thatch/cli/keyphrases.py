"""``thatch keyphrases``."""

from __future__ import annotations

from typing import Annotated

from thatch.cli.output import Format, notify, print_or_write
from thatch.cli.parameters import Encoding, Only, Output, OutputFormat, value_option
from thatch.cli.summarize import Files, FollowLinks, documents_of
from thatch.serve.answers.general import as_json
from thatch.text.summary_settings import SummarySettings

Count = Annotated[int, value_option("N", "Maximum number of phrases.", "--count", "-n")]


def keyphrases_command(
    files: Files = None,
    *,
    count: Count = 10,
    summary: Annotated[SummarySettings, Only("concepts", "query", "language")],
    encoding: Encoding = None,
    follow_links: FollowLinks = False,
    format: OutputFormat = Format.TEXT,
    output: Output = None,
) -> None:
    """Print the phrases that cover the most of what documents say."""
    from thatch.serve.answers.summaries import KeyPhraseAnswer
    from thatch.text.phrases import key_phrases

    documents = documents_of(files, encoding, output, follow_links=follow_links)
    found = key_phrases(summary.summarizer().task(documents, 0.0), count)
    if not found:
        notify("warning: the text contains no key phrase.")
    if format is Format.JSON:
        answers = (KeyPhraseAnswer(p.text, p.weight, p.num_passages) for p in found)
        lines = list(map(as_json, answers))
    else:
        lines = [f"{phrase.text}\n" for phrase in found]
    print_or_write("".join(lines), output)
