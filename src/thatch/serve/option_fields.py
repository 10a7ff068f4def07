"""Fields of requests, made from the options that settings records declare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, Field, ValidationError, WrapValidator, create_model
from pydantic_core import PydanticCustomError

from thatch.options import Option

# What requests accept of an option, where the command line accepts more.
_HELP = {"tokenizer": "For unit tokens: a tiktoken encoding or model"}

_MAX_INTEGER = 2**31
_OUT_OF_RANGE = {"greater_than", "greater_than_equal", "less_than", "less_than_equal"}


class OptionsModel(BaseModel):
    """A request with some fields that are options."""

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
    joined = reduce(or_, kinds)
    if not option.is_list:  # an error in a list names the entry
        joined = Annotated[joined, WrapValidator(_validator(option))]
    return Annotated[joined, Field(description=description_of(option))]


def description_of(option: Option) -> str:
    """Describe an option as far as requests accept it."""
    return replace(option, help=_HELP.get(option.name, option.help)).description


def default_of(option: Option) -> Any:
    """Default of the field, as JSON has it."""
    return list(option.default) if option.is_list else option.default


def _validator(option: Option) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """Validator whose error says what the option declares."""

    def validate(value: Any, validated: Callable[[Any], Any]) -> Any:
        try:
            return validated(value)
        except ValidationError as error:
            broken = error.errors(include_url=False, include_input=False)
            rule = _rule(option, {each["type"]: each.get("ctx", {}) for each in broken})
        raise PydanticCustomError("option", "{rule}", {"rule": rule})

    return validate


def _rule(option: Option, broken: dict[str, dict[str, Any]]) -> str:
    """What the value must be, by the types and contexts of pydantic's errors."""
    if option.maximum is None and "less_than_equal" in broken:
        return f"at most {_MAX_INTEGER}"  # a limit of requests alone
    if "finite_number" in broken:
        return "a finite number"
    return option.rule if _OUT_OF_RANGE & broken.keys() else option.kind


def _ranged(kind: Any, option: Option) -> Any:
    if option.is_list:
        max_texts = 100
        return Annotated[list[str], Field(max_length=max_texts)]
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
            bounds["le"] = _MAX_INTEGER if option.maximum is None else option.maximum
        else:
            bounds["allow_inf_nan"] = False
        return Annotated[
            kind, Field(**{name: v for name, v in bounds.items() if v is not None})
        ]
    return kind
