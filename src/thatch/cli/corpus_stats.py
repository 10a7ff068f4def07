"""``thatch corpus-stats``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from thatch.cli.corpus import (
    EngineName,
    Language,
    Scheduler,
    Source,
    TextColumn,
    Workers,
)
from thatch.cli.corpus_progress import shown

Target = Annotated[Path, typer.Argument(metavar="OUT", help="File to write: .json.")]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("corpus-stats")(corpus_stats_command)


def corpus_stats_command(
    source: Source,
    target: Target,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    workers: Workers = None,
    text: TextColumn = "text",
    language: Language = None,
) -> None:
    """Count which words are rare in a corpus."""
    from thatch.corpus.corpus_settings import CorpusSettings
    from thatch.corpus.statistics import corpus_statistics
    from thatch.corpus.storage import Place
    from thatch.engines import engine_named
    from thatch.files.atomic_writes import require_writable
    from thatch.text.concepts.background import write_background
    from thatch.text.summary_settings import SummarySettings

    require_writable(target)
    settings = CorpusSettings(text=text, summary=SummarySettings(language=language))
    chosen = engine_named(engine, scheduler=scheduler, num_workers=workers)
    with shown() as progress:
        background = corpus_statistics(
            Place(source),
            settings,
            chosen,
            on_begin=progress.expect,
            on_part=lambda chunk: progress.advance(chunk.rows.num_rows),
        )
    write_background(background, target)
    sys.stderr.write(
        f"{len(background.counts):,} terms of {background.num_documents:,} documents "
        f"in {target}\n"
    )
