from .comparison import Comparison as Comparison
from .comparison import compare as compare
from .diversity import Alternatives as Alternatives
from .diversity import alternatives as alternatives
from .item_importance import Importance as Importance
from .item_importance import importance as importance
from .sweeping import Sweep as Sweep
from .sweeping import sweep as sweep
