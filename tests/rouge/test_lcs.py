from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from thatch.rouge import LongestSubsequence
from thatch.rouge.lcs import common_positions
from thatch.rouge.text import Text

lines = st.lists(st.sampled_from("abc"), max_size=8)


def subsequences(line):
    return {
        tuple(line[position] for position in chosen)
        for size in range(len(line) + 1)
        for chosen in combinations(range(len(line)), size)
    }


def table_walk(line, other):
    """The textbook's table and walk back, with the original's choice among ties."""
    table = [[0] * (len(other) + 1) for _ in range(len(line) + 1)]
    for row in range(1, len(line) + 1):
        for column in range(1, len(other) + 1):
            if line[row - 1] == other[column - 1]:
                table[row][column] = table[row - 1][column - 1] + 1
            else:
                table[row][column] = max(table[row - 1][column], table[row][column - 1])
    row, column, positions = len(line), len(other), []
    while row and column:
        if line[row - 1] == other[column - 1]:
            row, column = row - 1, column - 1
            positions.append(row)
        elif table[row - 1][column] >= table[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return positions


@given(lines, lines)
def test_common_positions_spell_a_longest_common_subsequence(line, other):
    found = tuple(
        line[position] for position in reversed(common_positions(line, other))
    )
    common = subsequences(line) & subsequences(other)
    assert found in common
    assert len(found) == max(map(len, common))


@given(st.lists(st.sampled_from("abcdef"), max_size=90), st.text("abcdef", max_size=90))
def test_bits_walk_the_same_way_as_the_table(line, other):
    assert common_positions(line, other) == table_walk(line, other)


def overlap(candidate, reference):
    def units_of(text):
        split = tuple(tuple(line.split()) for line in text)
        words = tuple(word for line in split for word in line)
        return LongestSubsequence().units_of(Text(words, split))

    return LongestSubsequence().overlap(units_of(candidate), units_of(reference))


def test_the_union_over_lines_is_that_of_its_paper():
    """C.-Y. Lin, 2004: four of the five words."""
    candidate = ["w1 w2 w6 w7 w8", "w1 w3 w8 w9 w5"]
    assert overlap(candidate, ["w1 w2 w3 w4 w5"]) == (4, 5, 10)


def test_a_word_matches_no_more_often_than_either_text_has_it():
    assert overlap(["the cat"], ["the cat", "the cat", "the the"]) == (2, 6, 2)


def test_the_order_of_words_counts():
    assert overlap(["police kill the gunman"], ["police killed the gunman"])[0] == 3
    assert overlap(["the gunman kill police"], ["police killed the gunman"])[0] == 2
