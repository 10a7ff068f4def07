"""ROUGE: overlap of a summary with reference summaries, as in ROUGE-1.5.5.

>>> from thatch.rouge import Rouge
>>> Rouge().score("A cat sat here.", "The cat sat.")["ROUGE-1"].recall
0.66667
"""

import lazy_loader

# The stub next to this file lists the public names and where they are defined. They are
# imported on first use, so that the command line can print its help without NumPy.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
