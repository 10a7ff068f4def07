"""Count sentences of summaries that an editor would strike out, by kind of source.

python benchmarks/reading_check.py FOLDER [--budget 100] [--readability 0.3]
    [--summaries FILE]

FOLDER contains one folder per kind of source, such as `news` and `readmes`; in each of
them, every file is a source, and so is every folder of files. Each source is read by
thatch.read_document and summarized with the default settings.

The rules are independent of thatch.text.passages.flaws, which the summarizer itself
uses: they know other words, look at the text around a sentence, and do not count a
sentence that begins with "However" if the one before it is printed, too. --summaries
writes all summaries, with what was found, to be read by a person.
"""

from __future__ import annotations

import argparse
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tables import Table

from thatch import Summarizer, Summary, read_document
from thatch.errors import ThatchError


@dataclass(frozen=True)
class Sentence:
    """A printed sentence, and what stands around it in its source."""

    text: str
    #: Language code of its document.
    language: str
    #: Whether it begins its document, or follows the sentence printed before it.
    has_context: bool
    #: Whether it is a message of a chat: people write those without full stops, and in
    #: lower case.
    is_message: bool
    #: The source right before and after it.
    before: str
    after: str


OPENERS = {
    "en": r"(?:he|she|they|him|his|her|hers|their|theirs|its|them)\b"
    r"|it\b(?!\s+(?:is|was|has been|would be|will be|seems?|may be|can be|might be|"
    r"appears?|remains?)\s+(?:\w+ly\s+)?\w+\s+(?:that|to|for|how|whether|if)\b)"
    r"|(?:this|these|that|those)\b(?!\s+(?:paper|pep|rfc|article|document|proposal|"
    r"report|work|study|book|chapter|section|guide|page|package|library|project|"
    r"module|tool|tutorial|repository|thesis|survey|week|month|year)s?\b)"
    r"|(?:however|but|and|or|nor|so|yet|also|then|thus|hence|therefore|instead|such|"
    r"moreover|furthermore|additionally|similarly|likewise|conversely|consequently|"
    r"accordingly|nevertheless|nonetheless|otherwise|meanwhile|besides|still|again|"
    r"afterwards?|finally|lastly|secondly|thirdly|namely|indeed|rather|yes|no|yeah|"
    r"right|ok|okay|well|sure|exactly)\b"
    r"|(?:in addition|in contrast|on the other hand|for (?:example|instance)|"
    r"as (?:a result|such|an example)|as (?:above|before)|that said|"
    r"in (?:this|that|these|those|such|both|either|each)(?: \w+)? cases?|"
    r"in (?:other words|particular|turn|fact)|of course|"
    r"because of (?:this|that)|for (?:this|that) reason|"
    r"to (?:do|achieve|avoid|solve) (?:this|that|these)|"
    r"the (?:former|latter|same|other|above|following)|both of (?:these|them)|"
    r"neither of|another|others|one of (?:these|them)|the second|the third)\b",
    "de": r"(?:er|sie|es(?!\s+(?:ist|gibt|wird|kann))|dies\w*|jene[rsnm]?|sein\w*|"
    r"ihr\w*|dabei|damit|dadurch|dafür|dagegen|daher|darum|deshalb|deswegen|danach|"
    r"dann|dort|und|aber|oder|doch|jedoch|dennoch|trotzdem|allerdings|auch|zudem|"
    r"außerdem|somit|also|zum beispiel|in diesem fall|andererseits)\b",
    "es": r"(?:él|ella|ellos|ellas|est[aeo]s?|es[aeo]s?|su|sus|lo|y|pero|así|también|"
    r"además|entonces|luego|después|por eso|por lo tanto|por ejemplo|sin embargo|en "
    r"este caso|en ese caso|aquí)\b",
    "fr": r"(?:il(?!\s+(?:est|faut|y))|elle|ils|elles|ce|cet|cette|ces|cela|ceci|ça|"
    r"c['’]est|et|mais|ou|donc|ainsi|aussi|cependant|toutefois|pourtant|alors|"  # noqa: RUF001
    r"ensuite|puis|par exemple|dans ce cas|de plus|en effet|voici)\b",
    "vi": r"(?:ông này|bà này|họ|nó|đó|điều này|điều đó|việc này|tuy nhiên|nhưng|và|"
    r"do đó|vì vậy|ngoài ra|bên cạnh đó|sau đó|trong khi đó)\b",
    "ja": r"これ|それ|あれ|この|その|あの|しかし|また|そして|ただし|だから|なので|"
    r"そのため|例えば|たとえば|ここで",
    "zh": r"他|她|它|这|那|但|而且|因此|所以|然而|此外|同时|例如|比如|然后|不过|其中",
}
SELF_NAMED = re.compile(r"[^\s]*[A-Z\d_./:@-]")
END = re.compile(r"[.!?…。！？؟।][\"'”’»」』)\]]*\Z")  # noqa: RUF001
VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|"
    r"shall|should|may|might|must|need|let|make|get|use|see|take|give|say|said|want|"
    r"know|think|go|went|come|came|got|made|took|gave|found|put|run|set|keep|kept|"
    r"left|lost|won|told|fell|began|add|remove|create|pull|define|change|provide|"
    r"support|allow|start|work|love|call|show|prove|i|we|you|they|he|she|it|to|who|"
    r"\w+n['’]t|\w+['’](?:s|re|ve|ll|d|m)|"  # noqa: RUF001
    r"\w{2,}(?:ed|es|s|ing|en))\b",
    re.IGNORECASE,
)
TAGS = r"a|b|i|p|br|hr|em|li|ul|ol|td|tr|th|div|img|pre|sub|sup|code|span|strong|table"
MARKUP = re.compile(
    rf"(?<![\w*])\*{{1,3}}\w|\w\*{{1,3}}(?![\w*])|`|\]\(|</?(?:{TAGS})\b[^>]*>|"
    r"&(?:[a-z]{2,8}|#\d+);|\\[A-Za-z]+|(?<!\w)::|::(?!\w)|\[\^\w+\]|\]_(?!\w)|"
    r"(?<!\w)__?[A-Za-z][^_]*[a-z]_(?!\w)|\{[%{#]|[%}#]\}|\|\w+\||\[\[|\]\]|\$[^$\d]+\$|"
    r"~~|^#+ |\{\.|(?<!:):[a-z]+:(?=[^\w:]|$)|https?://\S+\s*\]|===|---"
)
CODE_START = re.compile(
    r"(?:def|class|import|from \w+ import|fn|let|const|var|pub|impl|return|#include|"
    r"\$|>>>|npm|pip|git|cargo) ?\S*(?:[({=;:]| install\b)"
)
CODE_SYMBOLS = re.compile(r"[{}()\[\]<>=;|$#@+*&^%~\\/_]")
CAPTION = re.compile(
    r"(?:fig(?:ure)?s?|tables?|tab|listing|algorithm|chart|exhibit|abb(?:ildung)?|"
    r"tabelle|figura|tabla|tableau|hình|bảng|ảnh|図|表|图)\.?\s*\d+",
    re.IGNORECASE,
)
ABBREVIATIONS = (
    r"e\.g|i\.e|cf|vs|mr|mrs|ms|dr|prof|st|gen|col|lt|sen|rep|gov|sgt|capt|no|fig|"
    r"figs|eq|eqs|sec|al|approx|ca|resp|viz|inc|corp|ltd|co|jr|sr|z\.b|d\.h|u\.a|bzw|"
    r"vgl|usw|nr|abb|abs|p\.ej|ej|p\.ex|ex|tp|ths|pgs|gs|ts|[a-z]"
)
CUT_AT_ABBREVIATION = re.compile(rf"(?:^|[\s(])(?:{ABBREVIATIONS})\.\Z", re.IGNORECASE)
JOINED = re.compile(
    r"(?<![\s(.])(?<!\b(?:al|vs|cf|st|mr|dr|no))[a-z]{2}[.!?]\s*"
    r"(?<!\bMrs\. )(?<!\bInc\. )(?<!\bCorp\. )(?<!\bProf\. )(?<!etc\. )(?<!\bSen\. )"
    r"(?<!\bGen\. )(?<!\bRep\. )(?<!\bGov\. )(?<!\.\w\. )"
    r"[A-Z][a-z]+\s+[a-z]+"
)
# What Markdown would take for layout.
MARKDOWN = re.compile(r"([\\`*_\[\]<>|$])")
QUOTED = re.compile(r"[\"“«(\[][^\"”»)\]]*[\"”»)\]]")
MAX_SHARE_OF_SYMBOLS = 0.12


def is_dangling(sentence: Sentence) -> bool:
    opener = OPENERS.get(sentence.language)
    if opener is None or sentence.has_context:
        return False
    start = sentence.text.lstrip("\"'“‘«„「(-– ")  # noqa: RUF001
    return re.match(opener, start, re.IGNORECASE) is not None


def is_fragment(sentence: Sentence) -> bool:
    text = sentence.text
    if sentence.is_message:
        return False
    if not END.search(text):
        return True
    first = re.search(r"[^\W_]\S*", text)
    if first and first[0][0].islower() and not SELF_NAMED.match(first[0]):
        return True
    return sentence.language == "en" and not VERB.search(text)


def has_markup(sentence: Sentence) -> bool:
    return MARKUP.search(sentence.text) is not None


def is_code(sentence: Sentence) -> bool:
    text = sentence.text
    num_symbols = len(CODE_SYMBOLS.findall(text))
    return (
        CODE_START.match(text) is not None
        or text.endswith((";", "{", "}", "->"))
        or num_symbols > MAX_SHARE_OF_SYMBOLS * len(text.replace(" ", ""))
    )


def is_caption(sentence: Sentence) -> bool:
    return CAPTION.match(sentence.text) is not None


def is_split_wrong(sentence: Sentence) -> bool:
    text, after = sentence.text, sentence.after.lstrip()
    if CUT_AT_ABBREVIATION.search(text) and after[:1].isalnum():
        return not (after[:1].isupper() and text[-3:-1].isupper())
    if re.search(r"\d\.\Z", text) and re.match(r"\d", sentence.after):
        return True
    if re.search(r"\w\.\Z", sentence.before) and text[:1].islower():
        return True
    is_open = text.count("(") != text.count(")") or text.count("“") != text.count("”")
    outside = QUOTED.sub(" ", text)
    return is_open or JOINED.search(outside) is not None


RULES: dict[str, Callable[[Sentence], bool]] = {
    "dangling": is_dangling,
    "fragment": is_fragment,
    "markup": has_markup,
    "code": is_code,
    "caption": is_caption,
    "split": is_split_wrong,
}


def main() -> None:
    arguments = parsed()
    summarizer = Summarizer(readability=arguments.readability)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    pages = []
    for source in sources_below(arguments.folder):
        kind = source.parent.name
        try:
            summary = summary_of(source, summarizer, arguments.budget)
        except ThatchError as error:
            print(f"skipped {source}: {error}")
            continue
        marked = [(each, faults(each)) for each in sentences_of(summary)]
        found[kind]["summaries"] += 1
        found[kind]["sentences"] += len(marked)
        for _, names in marked:
            found[kind].update(names)
            found[kind]["any"] += bool(names)
        pages.append(page_of(f"{kind}/{source.name}", marked))
    if arguments.summaries:
        arguments.summaries.write_text("\n".join(pages), encoding="utf-8")
    print(fault_table(found).markdown)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("folder", type=Path, help="with one folder per kind of source")
    add("--budget", type=int, default=100, help="in words")
    add("--readability", type=float, default=Summarizer().readability)
    add("--summaries", type=Path, help="file for the summaries")
    return parser.parse_args()


def sources_below(folder: Path) -> Iterator[Path]:
    for kind in sorted(path for path in folder.iterdir() if path.is_dir()):
        yield from sorted(kind.iterdir())


def summary_of(source: Path, summarizer: Summarizer, budget: int) -> Summary:
    files = sorted(source.iterdir()) if source.is_dir() else [source]
    return summarizer.summarize([read_document(file) for file in files], budget)


def sentences_of(summary: Summary) -> Iterator[Sentence]:
    task = summary.task
    passages = task.passages
    printed = summary.passages
    for k, p in enumerate(printed):
        passage = passages.all[p]
        document = passages.documents[passage.document]
        follows = k > 0 and printed[k - 1] == p - 1
        has_speakers = any(place.speaker for place in document.places)
        yield Sentence(
            passage.text,
            passages.languages[passage.document],
            has_context=passage.position == 0 or follows,
            is_message=has_speakers and document.name.endswith(".txt"),
            before=document.text[max(0, passage.start - 3) : passage.start],
            after=document.text[passage.end : passage.end + 3],
        )


def page_of(title: str, marked: Sequence[tuple[Sentence, list[str]]]) -> str:
    """The sentences of a summary in Markdown, as they are, each with its faults."""
    items = (
        MARKDOWN.sub(r"\\\1", sentence.text)
        + (f" *({', '.join(names)})*" if names else "")
        for sentence, names in marked
    )
    lines = (
        textwrap.fill(
            f"- {item}",
            100,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )
    return f"## {title}\n\n" + "\n".join(lines) + "\n"


def faults(sentence: Sentence) -> list[str]:
    return [name for name, rule in RULES.items() if rule(sentence)]


def fault_table(found: dict[str, Counter[str]]) -> Table:
    """Shares of sentences in percent, by kind and in all."""
    total = sum(found.values(), Counter[str]())
    columns = [*RULES, "any"]
    rows: list[Sequence[str]] = []
    for kind, counts in [*found.items(), ("all", total)]:
        num_sentences = max(counts["sentences"], 1)
        shares = (f"{100 * counts[name] / num_sentences:.1f}" for name in columns)
        rows.append([kind, str(counts["summaries"]), str(counts["sentences"]), *shares])
    header = ["kind", "summaries", "sentences", *columns]
    return Table("reading-check", "Faults in percent of sentences", header, rows)


if __name__ == "__main__":
    main()
