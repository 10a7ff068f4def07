"""Time limits of packing, which commands and functions share."""

__all__ = ["MAX_PACK_SECONDS"]

#: Time limit of the solver that packs files; it mostly needs some milliseconds.
MAX_PACK_SECONDS = 2.0
