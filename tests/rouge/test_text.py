from hypothesis import given
from hypothesis import strategies as st

from thatch.rouge import OriginalTokens, UnicodeTokens
from thatch.rouge.text import first_bytes, first_bytes_of_each, first_words

lines_of_text = st.lists(st.text(st.characters(exclude_characters="\n")))
limits = st.integers(1, 50)


@given(lines_of_text, limits)
def test_a_limit_in_words_keeps_the_first_words_and_no_more(lines, limit):
    for tokens in (OriginalTokens(), UnicodeTokens()):
        all_words = [word for line in lines for word in tokens.words_of(line)]
        kept = " ".join(first_words(lines, limit, tokens))
        assert tokens.of(kept) == tokens.of(" ".join(all_words[:limit]))


@given(lines_of_text, limits)
def test_a_limit_in_bytes_keeps_the_first_bytes_and_no_more(lines, limit):
    kept = "".join(first_bytes(lines, limit, "utf-8")).encode("utf-8", "replace")
    whole = "".join(lines).encode("utf-8", "replace")
    assert whole.startswith(kept)
    # A character cut in two is left out, of at most four bytes.
    assert min(limit, len(whole)) - 4 < len(kept) <= limit


def test_bytes_of_a_line_are_those_of_the_encoding():
    assert first_bytes(["£££"], 4, "utf-8") == ["££"]
    assert first_bytes(["£££"], 2, "latin-1") == ["££"]


def test_the_lines_of_rouge_l_are_each_cut_by_themselves():
    assert first_bytes_of_each(["abc", "defgh", "ij"], 4, "utf-8") == ["abc", "defg"]
