"""Summaries of texts within a budget.

>>> from thatch.text import Bigrams, Summarizer
>>> Summarizer(concepts=Bigrams(min_documents=1)).summarize("Snow fell.", 5).text
'Snow fell.'
"""

import lazy_loader

# The stub next to this file lists the public names and the modules that define them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
