from thatch import __version__
from thatch.rouge import SumEval


def test_a_limit_counts_words_between_single_spaces():
    sumeval = SumEval(limit_words=3, remove_stop_words=False)
    # Two spaces hold an empty word; a line break holds none.
    assert sumeval.read("cat  dog fox").words == ("cat", "dog")
    assert sumeval.read("cat\ndog fox hen owl").words == ("cat", "dog", "fox", "hen")


def test_a_text_is_one_sentence():
    score = SumEval().score("cats mice\ndogs fish", "dogs fish cats mice")["ROUGE-L"]
    assert (score.recall, score.precision) == (0.5, 0.5)


def test_scores_are_not_rounded():
    assert SumEval().score("cats", "cats dogs mice")["ROUGE-1"].recall == 1 / 3


def test_the_signature_names_every_setting():
    assert SumEval(limit_words=100, alpha=0).signature == (
        f"sumeval:1,2,L|stop-words:removed|limit:100words|alpha:0|thatch:{__version__}"
    )
