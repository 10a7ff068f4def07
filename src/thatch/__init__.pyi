from .errors import InputError as InputError
from .errors import ThatchError as ThatchError
from .instances.files import read_instance as read_instance
from .instances.files import write_instance as write_instance
from .problem.coverage_problem import CoverageProblem as CoverageProblem
from .problem.selection import Selection as Selection
from .run.progress import Progress as Progress
from .run.result import Result as Result
from .run.result import Status as Status
from .run.run import Run as Run
from .run.stopping import Converged as Converged
from .run.stopping import MaxIterations as MaxIterations
from .run.stopping import MaxSeconds as MaxSeconds
from .run.stopping import NoImprovement as NoImprovement
from .run.stopping import TargetGap as TargetGap
from .run.stopping import TargetValue as TargetValue
from .solvers.auto import Auto as Auto
from .solvers.base import Solver as Solver
from .solvers.belief_propagation.algorithm import BeliefPropagation as BeliefPropagation
from .solvers.belief_propagation.algorithm import propagate as propagate
from .solvers.belief_propagation.priced_problem import Part as Part
from .solvers.exact import Exact as Exact
from .solvers.greedy import GeneralizedGreedy as GeneralizedGreedy
from .solvers.greedy import Greedy as Greedy
from .solvers.local_search import LocalSearch as LocalSearch
from .solving import solve as solve
from .text.documents.document import Document as Document
from .text.documents.readers import read_document as read_document
from .text.documents.readers import read_documents as read_documents
from .text.summarizing import Summarizer as Summarizer
from .text.summarizing import summarize as summarize
from .text.summary import Summary as Summary

__version__: str

