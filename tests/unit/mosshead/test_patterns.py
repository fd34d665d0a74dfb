"""Patterns compiled on first use: they equal those of `re.compile`, and all of ours compile."""

import pkgutil
import re
from importlib import import_module

import pytest

import mosshead
from mosshead.patterns import lazy_pattern


def test_pattern_is_compiled_on_first_use_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    compile_now = re.compile

    def counting(source: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(source)
        return compile_now(source, flags)

    monkeypatch.setattr(re, "compile", counting)
    found = lazy_pattern(r"(\d+)-(?P<name>x)", re.IGNORECASE)
    assert compiled == []
    for _ in range(3):
        match = found.search("see 12-X", 2)
        assert match is not None
        assert (match["name"], match.span()) == ("X", (4, 8))
    assert compiled == [r"(\d+)-(?P<name>x)"]
    assert found.sub("-", "a 1-x b") == "a - b"
    assert [one.start() for one in found.finditer("1-x 2-x")] == [0, 4]


def test_wrong_pattern_is_reported_at_the_first_use() -> None:
    wrong = lazy_pattern("(")
    with pytest.raises(re.error):
        wrong.search("")


def test_all_patterns_of_the_library_compile() -> None:
    """An import no longer reveals a wrong one."""
    found = 0
    for module in pkgutil.walk_packages(mosshead.__path__, "mosshead."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(import_module(module.name)).values():
            those = value if isinstance(value, tuple) else (value,)
            for one in (part for item in those for part in (item if isinstance(item, tuple) else (item,))):
                if type(one).__name__ == "_Uncompiled":
                    found += isinstance(one.flags, int)
    assert found > 100
