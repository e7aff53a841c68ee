"""The pages of the site that are made from the code: the command line, the Python interface, the tools of the world."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Iterator
from typing import Any

import click
import griffe
import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from lifegym.checks.evidence import Evidence
from lifegym.checks.functions import EVIDENCE
from lifegym.checks.values import FUNCTIONS
from lifegym.cli import app
from lifegym.services import catalogue

PACKAGES = {
    "lifegym.envs": "Environments",
    "lifegym.wrappers": "Wrappers",
    "lifegym.baselines": "Agents",
    "lifegym.rollouts": "Rollouts and run folders",
    "lifegym.statistics": "Statistics",
    "lifegym.reports": "Reports",
    "lifegym.task_suite": "Tasks",
    "lifegym.task_suite.verification": "Verification",
    "lifegym.scoring": "Scores",
    "lifegym.chat": "Chats",
    "lifegym.tool_calls": "What a model writes",
}
"""Public packages and modules, and what they are called on the page. What they export is in their ``__all__``."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the made pages."""
    for name, lines in {"cli": cli(), "functions": functions(), "python": python(), "tools": tools()}.items():
        files.append(File.generated(config, f"reference/{name}.md", content="\n".join(lines) + "\n"))
    return files


# -- the command line --------------------------------------------------------------------------------------------------


def cli() -> Iterator[str]:
    """Every command with its arguments and options, as ``--help`` tells them."""
    group: Any = typer.main.get_command(app)
    yield from ("# Command line", "", str(group.help), "")
    for name, command in group.commands.items():
        context = click.Context(command, info_name=f"lifegym {name}")
        usage = " ".join(command.collect_usage_pieces(context))
        yield from (
            f"## lifegym {name}",
            "",
            f"    lifegym {name} {usage}",
            "",
            inspect.cleandoc(command.help or ""),
            "",
        )
        rows = [row for param in command.get_params(context) if (row := _param(param, context)) is not None]
        if rows:
            yield from ("| | | |", "|---|---|---|", *rows, "")


def _param(param: Any, context: Any) -> str | None:
    if getattr(param, "hidden", False) or "--help" in param.opts:
        return None
    if param.param_type_name == "argument":
        name, told = f"`{param.metavar or param.name.upper()}`", ""
    else:
        name = ", ".join(f"`{each}`" for each in param.opts)
        told = "required" if param.required else ""
    default = param.get_default(context, call=False)
    if default not in (None, False, (), []) and not callable(default):
        told = f"default {default}"
    return f"| {name} | {_cell(getattr(param, 'help', None) or '')} | {told} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# -- Python ------------------------------------------------------------------------------------------------------------


def python() -> Iterator[str]:
    """What the public packages export. (The packages are mapped by setup.cfg, so no tool finds them by their files.)"""
    yield from (
        "# Python",
        "",
        "`import lifegym` registers the tasks with gymnasium. What follows is the public interface.",
        "",
    )
    for package, title in PACKAGES.items():
        module = importlib.import_module(package)
        yield from (f"## {title}: {package}", "")
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing):
                yield from (f"### {name}", "", *_signature(f"class {name}", thing), *_documentation(thing))
                for method, function in vars(thing).items():
                    if inspect.isfunction(function) and not method.startswith("_"):
                        yield from (
                            f"#### {name}.{method}",
                            "",
                            *_signature(method, function),
                            *_documentation(function),
                        )
            elif inspect.isfunction(thing):
                yield from (f"### {name}", "", *_signature(name, thing), *_documentation(thing))


def _signature(name: str, thing: Any) -> Iterator[str]:
    try:
        told = inspect.signature(thing)
    except (TypeError, ValueError):
        return
    parts = [str(part).replace("'", "") for part in told.parameters.values() if part.name != "self"]
    given = told.return_annotation is not inspect.Signature.empty and not name.startswith("class ")
    result = f" -> {told.return_annotation}".replace("'", "") if given else ""
    line = f"    {name}({', '.join(parts)}){result}"
    yield from (
        (line, "")
        if len(line) < 110
        else (f"    {name}(", *(f"        {each}," for each in parts), f"    ){result}", "")
    )


def _documentation(thing: Any) -> Iterator[str]:
    for section in griffe.Docstring(inspect.getdoc(thing) or "").parse("google", warnings=False):
        if section.kind is griffe.DocstringSectionKind.text:
            yield from (section.value, "")
        elif section.kind is griffe.DocstringSectionKind.examples:
            for _, example in section.value:
                yield from (*(f"    {line}" for line in example.splitlines()), "")
        elif section.kind in _LISTED:
            yield from (f"**{_LISTED[section.kind]}**", "")
            for item in section.value:
                name = getattr(item, "name", "") or (
                    item.annotation if section.kind is griffe.DocstringSectionKind.raises else ""
                )
                yield f"- `{name}`: {_cell(item.description)}" if name else f"- {_cell(item.description)}"
            yield ""


_LISTED = {
    griffe.DocstringSectionKind.parameters: "Arguments",
    griffe.DocstringSectionKind.attributes: "Attributes",
    griffe.DocstringSectionKind.returns: "Gives",
    griffe.DocstringSectionKind.yields: "Yields",
    griffe.DocstringSectionKind.raises: "Raises",
}


# -- the check language ------------------------------------------------------------------------------------------------


def functions() -> Iterator[str]:
    """Evidence and functions of the expression language."""
    yield from ("# Functions of the check language", "", "## Evidence", "")
    for name in sorted(EVIDENCE):
        yield from _function(name, getattr(Evidence, name))
    yield from ("## Values", "")
    for name in sorted(FUNCTIONS):
        yield from _function(name, FUNCTIONS[name])


def _function(name: str, function: Any) -> Iterator[str]:
    yield from (f"### {name}", "", *_signature(name, function), *_documentation(function))


# -- the tools of the world --------------------------------------------------------------------------------------------


def tools() -> Iterator[str]:
    """The catalogue: every service with its tools, as a model is told of them."""
    yield from ("# Tools of the world", "")
    count = sum(len(catalogue.tools_of(service)) for service in catalogue.SERVICES)
    yield from (f"{count} tools of {len(catalogue.SERVICES)} services. A task's world has some of the services;", "")
    yield from ("`lifegym tools TASK` prints those of a task in a model provider's form.", "")
    for service in catalogue.SERVICES:
        yield from (f"## {service}", "", (catalogue.service_class(service).__doc__ or "").split("\n")[0], "")
        for spec in catalogue.tools_of(service).values():
            yield from _tool(spec)


def _tool(spec: Any) -> Iterator[str]:
    yield from (
        f"### {spec.name}",
        "",
        "*writes*" if spec.write else "*reads*",
        "",
        *_prose(spec.method.__doc__ or ""),
        "",
    )
    properties = spec.schema["properties"]
    if properties:
        yield from ("| argument | type | |", "|---|---|---|")
        for name, schema in properties.items():
            need = "" if name in spec.schema["required"] else "optional; "
            yield f"| `{name}` | {_cell(_type(schema))} | {need}{_cell(schema.get('description', ''))} |"
        yield ""


def _prose(doc: str) -> Iterator[str]:
    """A docstring's text without its list of arguments, which stands in a table."""
    section = ""
    for line in inspect.cleandoc(doc).splitlines():
        head = line.strip().removesuffix(":")
        if line and not line.startswith(" ") and line.endswith(":") and head in ("Args", "Returns", "Errors"):
            section = head
            if head != "Args":
                yield from ("", f"**{head}**", "")
        elif section == "Errors" and line.strip():
            indent = len(line) - len(line.lstrip())
            code, colon, rest = line.strip().partition(": ")
            yield f"- `{code}`: {rest}" if colon and indent == 4 else f"  {line.strip()}"
        elif section != "Args":
            yield line.strip()


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(json.dumps(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(each) for each in schema[key] if each.get("type") != "null"))
    kind = schema.get("type", "any")
    kinds = [each for each in (kind if isinstance(kind, list) else [kind]) if each != "null"]
    return f"list of {_type(schema['items'])}" if kinds == ["array"] and "items" in schema else " or ".join(kinds)
