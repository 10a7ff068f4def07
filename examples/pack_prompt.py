"""Pack a folder into a prompt: the files that say the most within 250 tokens."""

import sys
from dataclasses import replace
from pathlib import Path

from thatch import Summarizer, read_documents
from thatch.text import TOKENS, Granularity

SAMPLE = Path(__file__).parent / "notes"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    # Headings contain the name and count towards the budget: drop the folder from it.
    documents = [
        replace(document, name=str(Path(document.name).relative_to(folder)))
        for document in read_documents([folder])
    ]
    # Tokens are estimated here, so that the example needs no tokenizer. With one:
    # unit=tokens_by(tokenizer), or unit=tokens_by_name("gpt-4o").
    packer = Summarizer(
        unit=TOKENS, by=Granularity.FILE, query="Why did the nightly import fail?"
    )
    prompt = packer.summarize(documents, budget=250)
    for file in prompt.sentences:
        print(f"in   {file.document:18}  {file.cost:3.0f} tokens")
    for file in prompt.left_out:
        print(
            f"out  {file.document:18}  {file.cost:3.0f} tokens  {file.reason}".strip()
        )
    print(f"{prompt.cost} of {prompt.budget:.0f} {prompt.unit}:")
    print()
    print("\n".join(prompt.text.splitlines()[:3]))


if __name__ == "__main__":
    main()
