"""ROUGE: overlap of a summary with reference summaries, as in ROUGE-1.5.5.

>>> from thatch.rouge import Rouge
>>> Rouge().score("A cat sat here.", "The cat sat.")["ROUGE-1"].recall
0.66667
"""

from thatch.rouge.averages import Average, Averages, average
from thatch.rouge.bootstrap import Bootstrap, Estimate
from thatch.rouge.lcs import LongestSubsequence
from thatch.rouge.measure import Measure, References
from thatch.rouge.metrics import Metric, Overlap
from thatch.rouge.ngrams import NGrams, SkipBigrams
from thatch.rouge.original import Joining, Rouge
from thatch.rouge.score import Score, Scores
from thatch.rouge.stems import PorterStems, SnowballStems, Stems
from thatch.rouge.sumeval import SumEval
from thatch.rouge.tokens import OriginalTokens, Tokens, UnicodeTokens

__all__ = [
    "Average",
    "Averages",
    "Bootstrap",
    "Estimate",
    "Joining",
    "LongestSubsequence",
    "Measure",
    "Metric",
    "NGrams",
    "OriginalTokens",
    "Overlap",
    "PorterStems",
    "References",
    "Rouge",
    "Score",
    "Scores",
    "SkipBigrams",
    "SnowballStems",
    "Stems",
    "SumEval",
    "Tokens",
    "UnicodeTokens",
    "average",
]
