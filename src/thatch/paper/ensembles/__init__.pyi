from .averages import EnsembleAverages as EnsembleAverages
from .averages import ensemble_averages as ensemble_averages
from .ensemble import DegreeLaw as DegreeLaw
from .ensemble import Ensemble as Ensemble
from .ensemble import Poisson as Poisson
from .population import Estimate as Estimate
from .population import Population as Population
from .population import Snapshot as Snapshot
