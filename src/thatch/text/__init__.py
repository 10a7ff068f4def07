"""Summaries: documents, passages, concepts, budgets, and what is chosen.

>>> from thatch.text import Bigrams, Summarizer
>>> Summarizer(concepts=Bigrams(min_documents=1)).summarize("Snow fell.", 5).text
'Snow fell.'
"""

import lazy_loader

# The stub beside this file lists the public names and where they are defined.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
