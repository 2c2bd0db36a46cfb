"""A verb's function as a command: its signature reads the words, its docstring is the help.

In such a docstring names in braces are those of its module, and "As `solve`." stands for what the docstring of
``cdlab.solve`` says of the parameter of the same name, so that it is said once.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Callable
from dataclasses import is_dataclass
from pkgutil import resolve_name
from typing import Any, get_type_hints

import cyclopts
from cyclopts import App, Argument, Group, Parameter

from ..numerics.checks import short_repr

HELP_WIDTH = 80  # characters
TEXT_COLUMN = 24  # where the texts of options begin


def bind(command: str, function: Callable[..., Any], words: list[str]) -> inspect.BoundArguments:
    """The arguments of a command's function that words of the command line stand for.

    Raises
    ------
    ValueError
        If they do not fit its signature, with what is wrong.
    """
    try:
        return _app(function).parse_args(words, exit_on_error=False, print_error=False)[1]
    except cyclopts.CycloptsError as error:
        hint = "" if isinstance(error, cyclopts.CoercionError) else f" ({command} --help lists the options)"
        raise ValueError(_sentence(error) + hint) from None


def help_text(command: str, function: Callable[..., Any]) -> str:
    """Text of ``COMMAND --help``: usage, description, options by group, and the docstring's other sections."""
    (_, description), *sections = _sections(_doc(function))
    texts = _option_texts(function)
    usage = [f"usage: {command}"]
    groups: dict[str, list[str]] = {}
    for argument in _app(function).assemble_argument_collection().filter_by(show=True):
        if argument.index is not None:  # a position, not an option
            usage.append(_metavar(argument) if argument.required else f"[{_metavar(argument)} ...]")
        group = groups.setdefault(_group(argument), [])
        group.append(_option_help(argument, texts.get(argument.field_info.name, "")))  # python -OO leaves none
    parts = [" ".join([*usage, "[options]"]), description]
    parts += ["\n".join([f"{title}:", *options]) for title, options in groups.items()]
    parts += [f"{title.lower()}:\n{textwrap.indent(text, '  ')}" for title, text in sections if title != "Parameters"]
    return "\n\n".join(parts)


def _app(function: Callable[..., Any]) -> App:
    """A parser of the function's signature; of an option that is given several times the last one counts."""
    options = Group("options")
    return App(
        default_command=function,
        help_flags=[],
        version_flags=[],
        group_arguments=options,
        group_parameters=options,
        default_parameter=Parameter(negative="", allow_repeating=True),
    )


def _sentence(error: cyclopts.CycloptsError) -> str:
    argument = error.argument
    if type(error) is cyclopts.MissingArgumentError and argument is not None:
        option = error.keyword or next((token.keyword for token in argument.tokens), None)
        return f"{option} needs a value" if option else f"{_metavar(argument)} is required"
    if isinstance(error, cyclopts.UnusedCliTokensError) and error.unused_tokens:
        return f"there is no place for {short_repr(error.unused_tokens[0])}"
    if isinstance(error, cyclopts.RepeatArgumentError):
        return f"{error.token.keyword} repeats or contradicts an earlier option"
    if isinstance(error, cyclopts.UnknownOptionError) and (found := _loss_with(error.token.keyword or "")):
        return f"{error.token.keyword} is a parameter of a loss: --loss {found}"
    sentence = str(error).rstrip(".")
    return f"{sentence[:1].lower()}{sentence[1:]}"


def _loss_with(option: str) -> str:
    """A loss as the command line takes it, with the parameter of this name; "" where none has it."""
    from ..losses import LOSSES

    field = option.lstrip("-")
    for name, make in LOSSES.items():
        if field in getattr(make(), "_fields", ()) and field != "c":
            return f"{name}:{field}={getattr(make(), field):g}"
    return ""


def _doc(documented: Any) -> str:
    """The docstring of a verb or of options, with values in place of the names in braces."""
    return inspect.cleandoc(documented.__doc__ or "").format_map(vars(sys.modules[documented.__module__]))


def _sections(doc: str) -> list[tuple[str, str]]:
    """The titles and texts of a numpydoc docstring; the first, without a title, is the description."""
    first, *others = re.split(r"^(\S.*)\n-{3,}\n", doc, flags=re.MULTILINE)
    pairs = [("", first), *zip(others[::2], others[1::2], strict=True)]
    return [(title, text.strip("\n")) for title, text in pairs]


def _option_texts(function: Callable[..., Any]) -> dict[str, str]:
    """Words of each option, from the docstring of a function and from those of the options that it takes together."""
    documented: list[Any] = [function]
    for hint in get_type_hints(function).values():
        if inspect.isclass(hint) and is_dataclass(hint):
            documented += filter(is_dataclass, hint.__mro__)
    texts: dict[str, str] = {}
    for each in reversed(documented):  # a derived class has the last word
        for name, text in _parameter_texts(_doc(each)).items():
            texts[name] = _with_library_text(name, text)
    return texts


def _parameter_texts(doc: str) -> dict[str, str]:
    """The texts of the parameters in a numpydoc docstring, by name."""
    import docstring_parser  # for help only

    sections = dict(_sections(doc))
    text = sections.get("Parameters") or sections.get("Attributes") or ""
    found = docstring_parser.parse(f"Parameters\n----------\n{text}", docstring_parser.DocstringStyle.NUMPYDOC).params
    return {name: " ".join((each.description or "").split()) for each in found for name in each.arg_name.split(", ")}


def _with_library_text(name: str, text: str) -> str:
    """The text, with what a function of cdlab says of the parameter where it begins with "As `solve`."."""
    reference = re.match(r"As (?:for )?`([\w.]+)`[.:]? ?", text)
    if reference is None:
        return text
    doc = inspect.getdoc(resolve_name(f"cdlab.{reference[1]}")) or ""
    library = _with_library_text(name, _parameter_texts(doc)[name]).replace("`", "")
    rest = text[reference.end() :]
    return f"{library.rstrip('.')} {rest}" if rest.startswith("(") else f"{library} {rest}".strip()


def _group(argument: Argument) -> str:
    groups = argument.parameter.group
    return next(iter(groups)).name if isinstance(groups, tuple) else ""


def _metavar(argument: Argument) -> str:
    choices = argument.get_choices()
    return f"{{{','.join(choices)}}}" if choices else argument.parameter.metavar or argument.name


def _option_help(argument: Argument, text: str) -> str:
    """The lines of the help about an option: its names and its value on the left, the text on the right."""
    default = argument.field_info.default
    is_flag = isinstance(default, bool) or bool(argument.negatives)
    left = [] if argument.index is not None else [", ".join(argument.names)]
    left += [] if is_flag else [_metavar(argument)]
    if not (is_flag or default in (None, argument.field_info.empty) or "default" in text.lower()):
        text = f"{text.rstrip('.')} (default: {default})."
    indent = " " * TEXT_COLUMN
    right = textwrap.fill(text, HELP_WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
    head = f"  {' '.join(left)}"
    if len(head) > TEXT_COLUMN - 2:
        return f"{head}\n{right}"
    return head.ljust(TEXT_COLUMN) + right.lstrip()
