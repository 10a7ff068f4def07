"""Pack a folder into a prompt: what answers a question, within 300 tokens."""

import sys
from pathlib import Path

from thatch.context import pack

SAMPLE = Path(__file__).parent / "notes"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE
    # Tokens are estimated here, so that the example needs no tokenizer. With one:
    # unit=tokenizer, or unit=tokens_by_name("gpt-4o").
    prompt = pack(folder, 300, query="Why did the nightly import fail?")
    for file in prompt.files:
        size = f"{file.tokens:3.0f} tokens" if file.num_selected else file.reason
        print(f"{file.path:18}  {file.num_selected}/{file.num_chunks}  {size}")
    print(f"{prompt.tokens:.0f} of {prompt.budget:.0f} {prompt.unit.name}:")
    print()
    print("\n".join(prompt.text.splitlines()[:3]))


if __name__ == "__main__":
    main()
