"""Fields of requests, made from the options that settings records declare."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, Field, create_model

from thatch.options import Option

__all__ = ["OptionsModel", "annotation_of", "default_of", "with_options"]

_MAX_TEXTS = 100
_MAX_INTEGER = 2**31


class OptionsModel(BaseModel):
    """A request, some fields of which are options."""

    options: ClassVar[tuple[Option, ...]] = ()


_Model = TypeVar("_Model", bound=OptionsModel)


def with_options(*options: Option) -> Callable[[type[_Model]], type[_Model]]:
    """Add one field per option to a request, with its range and choices.

    >>> from thatch.options import options_of
    >>> from thatch.solvers.solver_settings import RunSettings
    >>> @with_options(*options_of(RunSettings))
    ... class Request(OptionsModel):
    ...     '''A request.'''
    >>> Request.model_json_schema()["properties"]["seed"]["maximum"]
    2147483648
    """

    def decorate(model: type[_Model]) -> type[_Model]:
        fields: dict[str, Any] = {
            option.name: (annotation_of(option), default_of(option))
            for option in options
        }
        extended = create_model(
            model.__name__,
            __base__=model,
            __module__=model.__module__,
            __doc__=model.__doc__,
            **fields,
        )
        extended.options = (*model.options, *options)
        return extended

    return decorate


def annotation_of(option: Option) -> Any:
    """Type of the field, with its range, choices and description."""
    kinds = [_ranged(kind, option) for kind in option.types]
    if option.is_optional:
        kinds.append(None)
    return Annotated[reduce(or_, kinds), Field(description=option.description)]


def default_of(option: Option) -> Any:
    """Default of the field, as JSON has it."""
    return list(option.default) if option.is_list else option.default


def _ranged(kind: Any, option: Option) -> Any:
    if option.is_list:
        return Annotated[list[str], Field(max_length=_MAX_TEXTS)]
    if kind is str and option.choices:
        # The schema lists the choices; the settings record raises a clearer error.
        return Annotated[str, Field(json_schema_extra={"enum": [*option.choices]})]
    if kind in (int, float):
        bounds: dict[str, Any] = {
            "ge": option.minimum,
            "le": option.maximum,
            "gt": option.above,
            "lt": option.below,
        }
        if kind is int:
            bounds["le"] = bounds["le"] or _MAX_INTEGER
        else:
            bounds["allow_inf_nan"] = False
        return Annotated[
            kind, Field(**{name: v for name, v in bounds.items() if v is not None})
        ]
    return kind
