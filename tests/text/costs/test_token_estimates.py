import pytest
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.costs.token_estimates import estimate_tokens, estimate_tokens_of_each

# Lone surrogates included: files with errors contain them.
ANY_TEXT = st.text(alphabet=st.characters())
ENGLISH = (
    "The committee has decided to publish the report next week, after the members "
    "agreed on the last of the changes that were proposed in May. "
)
TYPICAL = st.text(alphabet="aдZ0 .\n,thé語\t_")


@given(st.lists(ANY_TEXT | TYPICAL, max_size=6))
def test_texts_have_the_same_estimates_together_as_alone(texts):
    assert estimate_tokens_of_each(texts) == [estimate_tokens(text) for text in texts]


@given(ANY_TEXT | TYPICAL)
def test_an_estimate_is_at_least_one_token_per_word(text):
    num_words = len([word for word in text.split() if word.isascii()])
    assert num_words * 0.9 <= estimate_tokens(text) <= 4 * len(text)


@given(ANY_TEXT | TYPICAL, ANY_TEXT | TYPICAL)
def test_texts_joined_by_a_space_have_at_most_the_sum(left, right):
    together = estimate_tokens(left + " " + right)
    # Spaces at the ends become two, which are a token; and sizes are rounded.
    assert together <= estimate_tokens(left) + estimate_tokens(right) + 2


@given(ANY_TEXT | TYPICAL, ANY_TEXT | TYPICAL)
def test_a_longer_text_never_has_fewer_tokens(left, right):
    together = estimate_tokens(left + right)
    assert together >= estimate_tokens(left)
    assert together >= estimate_tokens(right)


@pytest.mark.parametrize(
    ("text", "num_tokens"),
    # Tokens of 20 repetitions in cl100k_base, o200k_base and Claude's tokenizer.
    [
        (
            ENGLISH,
            (541, 541, 541),
        ),
        (
            "    def measure(self, text: str) -> float:\n        return len(text)\n",
            (340, 340, 381),
        ),
        ("委员会决定下周公布报告。", (280, 140, 260)),
        ("Комитет решил опубликовать отчёт на следующей неделе.", (500, 300, 560)),
        ("Valiokunta päätti julkaista raportin ensi viikolla.", (361, 281, 400)),
    ],
)
def test_an_estimate_is_above_the_counts_of_tokenizers(text, num_tokens):
    most = max(num_tokens)
    assert most <= estimate_tokens(text * 20) <= 1.4 * most


@pytest.mark.parametrize("length", [62, 63, 64, 65, 1000])
def test_long_runs_cost_as_much_as_short_ones_do(length):
    costs = [estimate_tokens("語" * n) for n in (length, length + 2)]
    assert costs[1] - costs[0] == 3
    assert estimate_tokens(" " * length) == 1
    assert estimate_tokens("7" * 3 * length) == (190 + 85 * (length - 1)) // 100


def test_no_texts_have_no_estimates():
    assert estimate_tokens_of_each([]) == []
    assert estimate_tokens("") == 0
