"""Near-copies: passages that say what a longer one says, if not in the same words.

`near_duplicates` compares runs of words, which suits sentences. Chunks of a pool are
copied with changes: cut short, reworded, in another order. So a passage is a near-copy
here if a longer one contains most of its terms.
"""

from __future__ import annotations

from math import inf

import numpy as np

from thatch.arrays import Flags, Floats, Ints, distinct, sums_by
from thatch.text.relevance.passage_terms import PassageTerms

# The longer passage contains this share of the terms of a near-copy, rare terms
# counting more: less is enough where both are from the same place, and more is needed
# if they are not.
_MIN_CONTAINED, _MIN_IN_PLACE, _MIN_ELSEWHERE = 0.7, 0.5, 0.85
# The largest ratio of their lengths, and the smallest if the longer one comes later: of
# two that are about equally long, the first is the original.
_MAX_LENGTH_RATIO, _MIN_LENGTH_RATIO = 3.0, 1.2
# Passages of fewer distinct terms need more: all of them, or in place this share.
_MIN_TERMS, _MIN_OF_FEW_IN_PLACE = 5, 0.7
# Candidates share rare terms: how many of the rarest ones of each are compared, the
# share that both have, and the share of the shorter one's that the longer contains.
_NUM_RARE, _MIN_SHARED_RARE, _MIN_CONTAINED_RARE = 8, 0.25, 0.5
# Terms of more passages do not suggest a copy.
_MAX_PASSAGES_PER_TERM = 64


def near_copies(
    terms: PassageTerms, places: Ints | None = None, *, max_pairs: float = inf
) -> Ints:
    """The passage that each passage is a near-copy of; itself, if it is none.

    int64, shape (num_passages,). Of passages that say the same the longest is the
    original, and of about equally long ones the first.

    `places` numbers where each passage is from, such as a section and a speaker. Among
    passages that share more than `max_pairs` rare terms, two by two, only those that
    are close to each other are compared.
    """
    sizes = np.bincount(
        terms.pairs // max(terms.num_terms, 1), minlength=terms.num_passages
    )
    shorter, longer = _candidates(terms, sizes, max_pairs)
    is_copy = sizes[longer] <= _MAX_LENGTH_RATIO * sizes[shorter]
    shorter, longer = shorter[is_copy], longer[is_copy]
    is_copy = _contained(terms.owners, terms.terms, shorter, longer) >= _needed(
        shorter, longer, sizes, places
    )
    shorter, longer = shorter[is_copy], longer[is_copy]
    is_pair = terms.owners[1:] == terms.owners[:-1]
    bigrams = (terms.terms[:-1] * terms.num_terms + terms.terms[1:])[is_pair]
    in_order = _contained(terms.owners[1:][is_pair], bigrams, shorter, longer)
    # It also contains a quarter of the pairs of terms that follow each other. What
    # differs in a number tells something else.
    is_copy = (in_order >= 0.25) & ~_has_new_numbers(terms, shorter, longer)
    originals = np.arange(terms.num_passages)
    is_original = np.ones(terms.num_passages, dtype=np.bool_)
    shorter, longer = shorter[is_copy], longer[is_copy]
    order = np.lexsort((longer, shorter, -sizes[longer], -sizes[shorter]))
    for p, q in zip(shorter[order].tolist(), longer[order].tolist(), strict=True):
        if is_original[p] and is_original[q]:
            originals[p], is_original[p] = q, False
    # A copy of a copy is a copy of the original.
    while not is_original[originals].all():
        originals = originals[originals]
    return originals


def _candidates(
    terms: PassageTerms, sizes: Ints, max_pairs: float
) -> tuple[Ints, Ints]:
    """Pairs that share many of their rarest terms, the shorter passage first.

    Of two that are about equally long, the later one counts as the shorter.
    """
    pairs, num_terms = terms.pairs, max(terms.num_terms, 1)
    frequencies = terms.document_frequencies[pairs % num_terms]
    pairs = pairs[(frequencies > 1) & (frequencies <= _MAX_PASSAGES_PER_TERM)]
    owners, found = pairs // num_terms, pairs % num_terms
    # The rarest terms of each passage.
    order = np.lexsort((found, terms.document_frequencies[found], owners))
    owners, found = owners[order], found[order]
    starts = np.searchsorted(owners, np.arange(terms.num_passages))
    is_rare = np.arange(owners.size) - starts[owners] < _NUM_RARE
    owners, rare = owners[is_rare], found[is_rare]
    num_rare = np.bincount(owners, minlength=terms.num_passages)
    starts = np.cumsum(num_rare) - num_rare
    # Passages with the same term are next to each other now.
    order = np.lexsort((owners, rare))
    owners, found = owners[order], rare[order]
    shared = []
    for distance in range(1, _MAX_PASSAGES_PER_TERM):
        is_same = found[:-distance] == found[distance:]
        max_pairs -= np.count_nonzero(is_same)
        if not is_same.any() or max_pairs < 0:
            break
        first, second = owners[:-distance][is_same], owners[distance:][is_same]
        shared.append(first * terms.num_passages + second)
    if not shared:
        return owners[:0], owners[:0]
    numbers = np.concatenate(shared)
    either = distinct(numbers)
    counts = np.bincount(np.searchsorted(either, numbers))
    first, second = either // terms.num_passages, either % terms.num_passages
    needed = _MIN_SHARED_RARE * np.minimum(num_rare[first], num_rare[second])
    is_candidate = counts >= needed
    first, second = first[is_candidate], second[is_candidate]
    is_shorter = _MIN_LENGTH_RATIO * sizes[first] < sizes[second]
    shorter, longer = np.where(is_shorter, [first, second], [second, first])
    numbers, occurrences = _occurrences(shorter, starts, num_rare)
    asked = longer[numbers] * num_terms + rare[occurrences]
    is_in = _is_in(asked, terms.pairs)
    contained = np.bincount(numbers[is_in], minlength=shorter.size)
    is_candidate = contained >= _MIN_CONTAINED_RARE * num_rare[shorter]
    return shorter[is_candidate], longer[is_candidate]


def _has_new_numbers(terms: PassageTerms, shorter: Ints, longer: Ints) -> Flags:
    """Whether the shorter passage of each pair has a number that the longer lacks."""
    num_terms = max(terms.num_terms, 1)
    is_number = np.array(
        [any(map(str.isdigit, term)) for term in terms.vocabulary], dtype=np.bool_
    )
    starts = np.searchsorted(terms.pairs, np.arange(terms.num_passages + 1) * num_terms)
    numbers, occurrences = _occurrences(shorter, starts, np.diff(starts))
    found = terms.pairs[occurrences] % num_terms
    is_new = is_number[found] & ~_is_in(
        longer[numbers] * num_terms + found, terms.pairs
    )
    has_new: Flags = np.bincount(numbers[is_new], minlength=shorter.size) > 0
    return has_new


def _needed(shorter: Ints, longer: Ints, sizes: Ints, places: Ints | None) -> Floats:
    """Share of the terms that must be contained, for each pair."""
    if places is None:
        needed = np.full(shorter.size, _MIN_CONTAINED)
    else:
        is_in_place = places[shorter] == places[longer]
        needed = np.where(is_in_place, _MIN_IN_PLACE, _MIN_ELSEWHERE)
    is_short = sizes[shorter] < _MIN_TERMS
    needed[is_short] = np.where(
        needed[is_short] > _MIN_IN_PLACE, 1.0 - 1e-9, _MIN_OF_FEW_IN_PLACE
    )
    return needed


def _contained(owners: Ints, features: Ints, shorter: Ints, longer: Ints) -> Floats:
    """Share of the features of each shorter passage that the longer one contains.

    An occurrence is a passage and a feature, such as a term or a pair of terms.
    """
    involved = distinct(shorter, longer)
    if not involved.size:
        return np.zeros(0)
    # Only passages of pairs matter: few have another that resembles them.
    number_of = np.full(int(max(owners.max(initial=0), involved[-1])) + 1, -1)
    number_of[involved] = np.arange(involved.size)
    is_involved = number_of[owners] >= 0
    owners, features = number_of[owners[is_involved]], features[is_involved]
    kinds = distinct(features)
    pairs = distinct(owners * kinds.size + np.searchsorted(kinds, features))
    frequencies = np.bincount(pairs % max(kinds.size, 1), minlength=kinds.size)
    # What both have is in two passages at least: in a small pool, that is not rare.
    rarities = 1.0 + np.log1p((involved.size - frequencies + 0.5) / (frequencies + 0.5))
    shorter, longer = number_of[shorter], number_of[longer]
    starts = np.searchsorted(pairs, np.arange(involved.size + 1) * kinds.size)
    numbers, occurrences = _occurrences(shorter, starts, np.diff(starts))
    found = pairs[occurrences] % max(kinds.size, 1)
    is_in = _is_in(longer[numbers] * kinds.size + found, pairs)
    weights = rarities[found]
    totals = sums_by(numbers, weights, shorter.size)
    return sums_by(numbers, weights * is_in, shorter.size) / np.maximum(totals, 1e-12)


def _occurrences(passages: Ints, starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Places of all features of some passages, one passage after the other.

    Returns two parallel arrays: the number of the passage among these, and the place.
    Each passage has as many features from its start on as its length says.
    """
    lengths = lengths[passages]
    numbers = np.repeat(np.arange(passages.size), lengths)
    firsts = starts[passages] - (np.cumsum(lengths) - lengths)
    return numbers, np.arange(numbers.size) + firsts[numbers]


def _is_in(wanted: Ints, ordered: Ints) -> Flags:
    """Whether each number is among others that are in order."""
    if not ordered.size:
        return np.zeros(wanted.size, dtype=np.bool_)
    found = np.minimum(np.searchsorted(ordered, wanted), ordered.size - 1)
    is_in: Flags = ordered[found] == wanted
    return is_in
