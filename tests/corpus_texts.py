"""Short texts for tests of corpora."""

WORDS = [
    "bridge",
    "snow",
    "mill",
    "roof",
    "pier",
    "town",
    "mayor",
    "ferry",
    "council",
    "storm",
]


def text_of(k):
    """A short text, different for every number."""
    first, second, third = (WORDS[(k * step + step) % 10] for step in (1, 3, 7))
    return (
        f"The {first} of house {k} is old. Nobody saw the {second} by the {third}. "
        f"The {first} and the {second} were seen again, and the {third} too."
    )
