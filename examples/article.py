"""Summarize an article, and explain the choice of sentences."""

import sys
from pathlib import Path

import thatch

SAMPLE = Path(__file__).parent / "pep-8016.txt"


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else SAMPLE
    summary = thatch.summarize(thatch.read_document(path), budget=60)
    print(summary.text)
    print()
    print(f"{summary.cost} of {summary.budget:.0f} words, gap {summary.gap:.1%}")
    print()
    for sentence in summary.sentences:
        share = sentence.weight / summary.value
        about = ", ".join(sentence.concepts[:4])
        print(f"sentence {sentence.position + 1:2}  alone {share:5.1%}  {about}")
    print()
    for passage in summary.left_out[:3]:
        share = passage.gain / summary.value
        reason = passage.reason or f"costs {passage.cost:.0f} words"
        print(f"sentence {passage.position + 1:2}  would add {share:5.1%}, {reason}")


if __name__ == "__main__":
    main()
