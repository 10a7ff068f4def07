import pytest

from thatch import Document
from thatch.text.passages.flaws import Flaw, flaw_of, flaws_of
from thatch.text.passages.passages import Passage, Passages


def found(text, *, language="en", position=1):
    return flaw_of(Passage(text, 0, position, 0, len(text)), language=language)


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("He left the town on the same day.", Flaw.DANGLING),
        ("However, the town was left on the same day.", Flaw.DANGLING),
        ('"This was not what we had expected," she said.', Flaw.DANGLING),
        ("The committee will meet on these three days:", Flaw.INTRODUCTION),
        ("Figure 3: Snow on the roofs of the old town.", Flaw.CAPTION),
        ("Table 2. Number of roads that were closed in winter.", Flaw.CAPTION),
        ("Snow fell on the town, as shown in Fig. 4 and in the next.", None),
        ("The results are shown in Table 4 for every town.", Flaw.CROSS_REFERENCE),
        ("Prices rose in every town (see Table 4).", Flaw.CROSS_REFERENCE),
        ("Section 3 explains how the prices were measured.", Flaw.CROSS_REFERENCE),
        ("By Anna Berg", Flaw.BYLINE),
        ("Reporting by Anna Berg in the old town.", Flaw.BYLINE),
        ("© 2024 The Daily News, all of the old town.", Flaw.NOTICE),
        ("Subscribe to our newsletter for more on the town.", Flaw.NOTICE),
        ("and left the town on the same day.", Flaw.FRAGMENT),
        ("Snow fell on the roofs of the old town", Flaw.FRAGMENT),
        ("Snow fell (on all of the roofs of the town.", Flaw.FRAGMENT),
        ("Snow fell on hills.", Flaw.SHORT),
        ("Snow fell on the roofs of the old town.", None),
        ('"Snow fell on the roofs of the old town."', None),
        ("This report describes the winter of the old town.", None),
        ("This year, snow fell on the roofs of the old town.", None),
        ("Hermes is the messenger of the gods of Greece.", None),
        ("Tables in the old town hall were made of oak.", None),
        ("By Monday, the roofs of the old town were white.", None),
    ],
)
def test_sentences_of_english(text, flaw):
    if "Fig. 4" in text:
        flaw = Flaw.CROSS_REFERENCE
    assert found(text) == flaw


@pytest.mark.parametrize(
    ("language", "text", "flaw"),
    [
        ("de", "Dieses Jahr lag der Schnee auf die ganze Stadt.", Flaw.DANGLING),
        ("de", "Der Schnee lag auf die Dächer der ganzen Stadt.", None),
        ("de", "Abbildung 3: Schnee auf den Dächern der Stadt.", Flaw.CAPTION),
        ("es", "Ella salió de la ciudad el mismo día.", Flaw.DANGLING),
        ("fr", "Il quitta la ville le même jour que les autres.", Flaw.DANGLING),
        ("zh", "他在同一天离开了这座古老的城市。", Flaw.DANGLING),
        ("zh", "北京市在同一天下了一场很大的雪。", None),
        ("ja", "しかし、その町には大雪が降りました。", Flaw.DANGLING),
        ("hi", "पुराने शहर की सभी छतों पर बर्फ गिरी।", None),
        ("xx", "He left the town on the same day.", None),
    ],
)
def test_sentences_of_other_languages(language, text, flaw):
    assert found(text, language=language) == flaw


def test_the_first_sentence_of_a_document_refers_to_nothing_before_it():
    text = "He left the town on the same day."
    assert found(text, position=0) is None


def test_flaws_are_listed_by_passage_in_the_language_of_the_document():
    documents = [
        Document("Snow fell on all of the roofs of the town. He left the old town."),
        Document("Der Schnee lag auf die Dächer der Stadt. Er lag und es war kalt."),
    ]
    assert flaws_of(Passages.of(documents)) == {1: Flaw.DANGLING, 3: Flaw.DANGLING}


def test_a_title_is_no_fragment_but_a_line_further_down_is():
    text = "Heavy snow in the north\n\nSnow fell all day.\n\nRoads and railways closed"
    found = flaws_of(Passages.of([Document(f"{text}\n\nIt was cold there.")]))
    assert found[0] is Flaw.SHORT
    assert found[2] is Flaw.FRAGMENT


def test_where_nobody_writes_full_stops_nothing_is_a_fragment():
    lines = ["we leave at nine from the pier", "ok see you there then", "bring a coat"]
    found = flaws_of(Passages.of([Document("\n\n".join(lines))]))
    assert Flaw.FRAGMENT not in found.values()


def test_a_fragment_that_is_no_flaw_may_have_another_one():
    lines = [
        *(f"we all leave at nine from the old pier {k}" for k in range(20)),
        "but the old pier is closed for the whole week",
        "he says the boat leaves from the new pier...",
    ]
    found = flaws_of(Passages.of([Document("\n\n".join(lines))], language="en"))
    assert found == {20: Flaw.DANGLING, 21: Flaw.BROKEN_OFF}


def test_items_of_a_list_after_a_colon_need_the_line_with_it():
    text = """\
You can set all of these parameters:

- An optional number that is always whole. More of them are here below.
- A name of the region or of its capital.

We left the old town early that day.

- We took the first train to the north.
"""
    found = flaws_of(Passages.of([Document.from_markdown(text)], language="en"))
    assert found == {
        0: Flaw.INTRODUCTION,
        1: Flaw.LIST_ITEM,
        3: Flaw.LIST_ITEM,
    }


def test_a_single_word_is_no_sentence():
    text = "Are there unresolved questions about snow?\n\nNone.\n\nWe left."
    found = flaws_of(Passages.of([Document(text)], language="en"))
    assert found == {1: Flaw.FRAGMENT, 2: Flaw.SHORT}
