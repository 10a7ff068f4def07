from collections import Counter, defaultdict
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from thatch import Document, InputError, Summarizer, summarize
from thatch.errors import InputTypeError
from thatch.text.language.languages import stop_words
from thatch.text.phrases import key_phrases

# Names, which are their own terms in lower case, and a stop word.
NAMES = ["Ash", "Elm", "Fir", "Oak"]
REPORT = (
    "The central bank raised interest rates on Tuesday. Economists had expected the "
    "central bank to wait. Higher interest rates make loans dear. The Bank of England "
    "followed. Many people fear that interest rates stay high. Critics of the Bank of "
    "England disagree."
)

sentences = st.lists(
    st.sampled_from([*NAMES, "the", "of"]), min_size=1, max_size=4
).map(lambda words: " ".join(words) + ".")
texts = st.lists(sentences, min_size=1, max_size=4)


def task_of(text, **settings):
    return Summarizer(**settings).task(text, 0)


def runs_of(sentence):
    """Phrases of a sentence: runs of names, with nothing but "of" between them."""
    words = sentence.removesuffix(".").split()
    for i in range(len(words)):
        for j in range(i + 1, len(words) + 1):
            run = words[i:j]
            has_ends = run[0] in NAMES and run[-1] in NAMES
            if has_ends and "the" not in run:
                yield tuple(word.lower() for word in run)


def candidates_of(given_sentences):
    """Words, and phrases of two sentences that are often written in full."""
    counts = Counter(
        run for sentence in given_sentences for run in set(runs_of(sentence))
    )

    def is_candidate(run):
        if len(run) == 1:
            return True
        parts = [counts[part] for part in (run[1:], run[:-1]) if part in counts]
        usual = (min if len(run) == 2 else max)(parts, default=0)
        return counts[run] >= 2 and counts[run] >= usual / 2

    return [run for run in counts if is_candidate(run)]


def covered_by(phrases, weights):
    found = {c for phrase in phrases for c in (*phrase, *pairwise(phrase))}
    return sum(weights.get(concept, 0.0) for concept in found)


def weights_of(table):
    """Weight of each concept that is shown, over all its parts."""
    weights = defaultdict(float)
    for concept, weight, shown in zip(
        table.concepts, table.weights, table.shown, strict=True
    ):
        weights[concept] += weight * shown
    return weights


@given(texts, st.integers(1, 3))
def test_key_phrases_cover_as_much_as_any(given_sentences, count):
    task = task_of("\n\n".join(given_sentences), language="en")
    weights = weights_of(task.table)
    found = key_phrases(task, count)
    phrases = [tuple(phrase.text.lower().split()) for phrase in found]
    candidates = candidates_of(given_sentences)
    best = max(
        covered_by(chosen, weights)
        for size in range(count + 1)
        for chosen in combinations(candidates, size)
    )
    heaviest = max((covered_by([each], weights) for each in candidates), default=0.0)
    covered = covered_by(phrases, weights)
    assert len(found) <= count
    # Phrases that add next to nothing are left out.
    assert best - 0.02 * count * heaviest - 1e-9 <= covered <= best + 1e-9


@given(texts)
def test_a_weight_is_what_no_other_phrase_covers(given_sentences):
    task = task_of("\n\n".join(given_sentences), language="en")
    weights = weights_of(task.table)
    found = key_phrases(task, 3)
    phrases = [tuple(phrase.text.lower().split()) for phrase in found]
    assert [p.weight for p in found] == sorted((p.weight for p in found), reverse=True)
    for k, phrase in enumerate(found):
        others = covered_by(phrases[:k] + phrases[k + 1 :], weights)
        alone = covered_by(phrases, weights) - others
        # What was left out may have shared some of it.
        assert phrase.weight <= alone + 1e-9


@pytest.mark.parametrize("text", [REPORT, " ".join(f"{REPORT} {k}." for k in range(9))])
def test_phrases_are_verbatim_and_have_no_stop_word_at_an_end(text):
    found = key_phrases(task_of(text), 20)
    assert found
    for phrase in found:
        assert phrase.text in text
        words = phrase.text.lower().split()
        assert not {words[0], words[-1]} & stop_words("en")


def test_names_with_a_small_word_inside_are_whole():
    found = [phrase.text for phrase in key_phrases(task_of(REPORT), 4)]
    assert {"interest rates", "Bank of England"} <= {*found}


def test_words_that_say_too_little_take_no_place_of_others():
    text = "Heavy snow fell. The heavy snow lay for days. Trains stood still."
    found = [phrase.text for phrase in key_phrases(task_of(text), 2)]
    assert found == ["heavy snow", "Trains"]


def test_a_phrase_is_printed_once_however_many_are_allowed():
    text = "Core team members vote. All core team members left. Snow fell."
    found = [phrase.text.lower() for phrase in key_phrases(task_of(text), 10)]
    assert "core team members" in found
    assert not {"core team", "team members", "core", "team", "members"} & {*found}


def test_the_number_of_passages_is_counted():
    counts = {p.text: p.num_passages for p in key_phrases(task_of(REPORT), 10)}
    assert counts["interest rates"] == 3
    assert counts["Bank of England"] == 2


def test_phrases_end_at_punctuation():
    text = "The grey owls, black cats. The grey owls, black cats."
    found = {phrase.text for phrase in key_phrases(task_of(text), 10)}
    assert found >= {"grey owls", "black cats"}
    assert not any("owls black" in phrase or "," in phrase for phrase in found)


def test_how_sentences_read_does_not_change_the_phrases():
    text = "Snow fell. " + REPORT + " However, the snow melted:"
    expected = key_phrases(task_of(text, readability=0), 8)
    for readability in (0.3, 1.0):
        found = key_phrases(task_of(text, readability=readability), 8)
        assert [p.text for p in found] == [p.text for p in expected]
        for one, other in zip(found, expected, strict=True):
            assert one.weight == pytest.approx(other.weight)


def test_phrases_of_a_summary_are_from_its_sentences():
    text = "Grey owls hunt at night. Grey owls hunt mice. Cold rain fell. Cold rain."
    summary = summarize(text, 5)
    assert summary.key_phrases
    for phrase in summary.key_phrases:
        assert any(phrase.text.lower() in s.text.lower() for s in summary.sentences)
    assert summarize(text, 0).key_phrases == ()


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        (
            "zh",
            "中国经济增长放缓。专家认为中国经济仍然稳定。中国经济引人注目。",
            "经济",
        ),
        ("th", "เศรษฐกิจไทยเติบโตช้า เศรษฐกิจไทยยังมั่นคง เศรษฐกิจไทยน่าสนใจ", "เศรษฐกิจ"),
        ("ja", "日本の経済は成長した。専門家は日本の経済を調べた。", "経済"),
    ],
)
def test_scripts_without_spaces_have_phrases_too(language, text, word):
    found = key_phrases(task_of(text, language=language), 5)
    assert all(phrase.text in text for phrase in found)
    assert any(word in phrase.text for phrase in found)


@pytest.mark.parametrize("text", ["", "...", "The of and.", "# Title"])
def test_a_text_that_says_nothing_has_none(text):
    assert key_phrases(task_of(Document.from_markdown(text)), 5) == ()


def test_a_query_counts():
    text = "Grey owls hunt. Grey owls fly. Black cats sleep. Black cats purr."
    (found,) = key_phrases(task_of(text, query="cats"), 1)
    assert found.text.lower() == "black cats"


def test_at_least_one_phrase_must_be_allowed():
    for count in (0, -1, 2.5):
        with refused(InputError, "count", count):
            key_phrases(task_of(REPORT), count)
    with refused(InputTypeError, "count", "x"):
        key_phrases(task_of(REPORT), "x")
