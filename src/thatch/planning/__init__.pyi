from .alternatives import Alternatives as Alternatives
from .alternatives import alternatives as alternatives
from .comparison import Comparison as Comparison
from .comparison import compare as compare
from .importance import Importance as Importance
from .importance import importance as importance
from .sweep import Sweep as Sweep
from .sweep import sweep as sweep
