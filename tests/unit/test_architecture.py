"""The project's rules that no linter checks: names of modules and classes."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sqlalchemy import create_engine

import mosshead
from mosshead import Namespace
from mosshead.api.session import Session
from mosshead.embeddings import MiniLM
from mosshead.paths import NamespacePath

ROOT = Path(__file__).parents[2]
PATH = NamespacePath.of(("acme", "sarah"), {})
PACKAGES = ("mosshead", "config", "db", "pipeline", "workers")
NOUNS = frozenset("batching embedding fencing formatting housekeeping indexing logging pending scoring signing".split())
"""Established nouns that end in -ing. Any other such name describes an action, and says little about the module's content."""


def modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from (ROOT / package).rglob("*.py")


@cache
def nodes(module: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(module.read_text(encoding="utf-8"))))


def test_every_public_class_of_the_product_has_a_unique_name() -> None:
    places = defaultdict(list)
    for module in modules():
        for node in nodes(module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(module.relative_to(ROOT)))

    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_core_names_no_module_of_contrib() -> None:
    """Not even as a string for a later import, which the import linter cannot see."""
    core = [module for module in (ROOT / "mosshead").rglob("*.py") if not {"contrib", "cli"} & set(module.parts)]
    strings = {
        str(module.relative_to(ROOT)): node.value
        for module in core
        for node in nodes(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("mosshead.contrib")
    }

    assert strings == {}


def test_no_module_is_named_for_an_action() -> None:
    named = {str(module.relative_to(ROOT)) for module in modules() if module.stem.endswith("ing")}

    assert {name for name in named if Path(name).stem not in NOUNS} == set()


def test_namespace_is_composed_and_inherits_nothing() -> None:
    assert Namespace.__bases__ == (object,)


def test_namespace_and_package_have_few_public_names() -> None:
    """A namespace has at most 25, its parts included, and the package 55: beyond that, a part is missing."""
    namespace = Namespace(Session(PATH, create_engine("postgresql+psycopg://"), MiniLM()))

    own = {name for name in (*vars(namespace), *vars(Namespace)) if not name.startswith("_")}

    assert len(own) <= 25
    assert len(mosshead.__all__) <= 55
