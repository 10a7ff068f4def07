"""Adapters: context selection as a part of LangChain, LlamaIndex and Haystack.

Each module imports its framework, so none of them is imported here.
"""
