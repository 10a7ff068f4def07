"""Notes of a ferry company, and a tokenizer, for the tests of adapters."""

import re

QUERY = "Why did the nightly import fail?"

#: Source, offset and text of each note; the last one repeats the first.
NOTES = [
    ("disk.md", 0, "The nightly import failed, because the disk was full of releases."),
    ("disk.md", 70, "Nobody was notified. A failed import now sends a message."),
    ("clocks.md", 0, "When clocks went back, the import read times as local time."),
    ("api.md", 0, "The API lists the piers with their codes and their departures."),
    ("deploy.md", 0, "Tag a release, run the migrations, and restart the service."),
    ("log.md", 0, "The nightly import failed because the disk was full of releases!"),
    ("readme.md", 0, "The page shows when the next ferry leaves each of the piers."),
]


def tokens(text):
    """Number of tokens: words, and signs that are neither words nor spaces."""
    return len(re.findall(r"\w+|[^\w\s]|\n", text))
