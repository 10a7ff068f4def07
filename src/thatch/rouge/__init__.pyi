from .averages import Average as Average
from .averages import Averages as Averages
from .averages import Bootstrap as Bootstrap
from .averages import Estimate as Estimate
from .averages import average as average
from .lcs import LongestSubsequence as LongestSubsequence
from .measure import Measure as Measure
from .measure import References as References
from .ngrams import NGrams as NGrams
from .ngrams import SkipBigrams as SkipBigrams
from .original import Aggregation as Aggregation
from .original import Rouge as Rouge
from .score import Metric as Metric
from .score import Overlap as Overlap
from .score import Score as Score
from .score import Scores as Scores
from .stems import PorterStems as PorterStems
from .stems import SnowballStems as SnowballStems
from .stems import Stems as Stems
from .sumeval import SumEval as SumEval
from .text import OriginalTokens as OriginalTokens
from .text import Tokens as Tokens
from .text import UnicodeTokens as UnicodeTokens

__all__ = [
    "Aggregation",
    "Average",
    "Averages",
    "Bootstrap",
    "Estimate",
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
