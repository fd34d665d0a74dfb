"""Remove machine text from messages: code, logs, markup, tables, diffs and comma-separated values."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

_FENCE = re.compile(r"(?P<mark>```+|~~~+)")

_MACHINE = re.compile(
    r">|(?:import|def|class|function|const|let|var|export|return|public|private|async|#include|SELECT|INSERT INTO"
    r"|UPDATE|DELETE FROM|CREATE TABLE) "
    r"[\w.{(*\"'<].*[:;{}()=*]|from \w[\w.]* import |at [\w.$]+\(|Traceback|File \""
    r"|[\[(]?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:?|\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|TRACE|NOTICE)\b"
    r"|</?\w+[^>]*>|[{}\[\]();]+,?$|//|#!|\$ \w|\w+@\w+:|[\w.]+ ?= ?[\"'\[{(\d]|\"\w+\": ?|.*[;{]$|[A-Z_]{4,}="
    r"|[+-]{3} |@@ |`[^`]+`$|\d{1,3}(?:\.\d{1,3}){3} |[\w-]+=\S+ [\w-]+=\S"
    r"|[\[(]?(?:\d{1,2}/\w{3}/\d{4}|[A-Z][a-z]{2} [ \d]?\d|\d{4}/\d\d/\d\d)?[ :]?\d\d:\d\d:\d\d(?:[.,]\d+)?[\])]? "
)
"""Lines of code, logs, markup and quotations."""

_RULE = re.compile(r"[|+ ]*:?-{2,}:?[-|+: ]*$|[=+|-]{5,}$")
_CELL_BARS = re.compile(r"(?<=\S) ?[|│┃\t] ?")
_TABLE_EDGE = re.compile(r"[|│┃║].*[|│┃║]$|[+├┌└┏┗┣╔╚╠][-─━═+┬┴┼┐┘┤]")
_PATCH_HEAD = re.compile(
    r"diff --git |index [0-9a-f]{6,}\.\.|(?:---|\+\+\+) \S|@@ .*@@|(?:new|deleted) file mode |Index: \S"
)
_PATCH_LINE = re.compile(r"\+(?!\d)|-(?!\d)")
_ADDED = re.compile(r"\+ ?[^\W\d_]")
_REMOVED = re.compile(r"-[ \w]")
_VALUES = re.compile(r'(?:"[^"]*"|[^,;"]*)(?:[,;](?! )(?:"[^"]*"|[^,;"]*))+$')
_LEAST_ROWS = 2


def spoken_lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield the non-empty lines that may be a person's words.

    A table row that starts with a bar is kept, because the list reader understands rotas.
    """
    written = [line.strip() for line in lines if line.strip()]
    if len(written) == 1 and _PATCH_LINE.match(written[0]) and ":" not in written[0]:  # a line of a diff, not a note
        return
    fence = ""
    plain: list[str] = []
    for line in lines:
        mark = _FENCE.match(line.strip())
        if mark and (not fence or mark["mark"].startswith(fence)):
            fence = "" if fence else mark["mark"]
            plain.append("")
        elif not fence:
            plain.append(line)
    for empty, block in groupby(plain, key=lambda line: not line.strip()):
        if not empty:
            yield from _spoken_of_block(list(block))


def _spoken_of_block(lines: Sequence[str]) -> Iterator[str]:
    """Yield those lines of a paragraph. Patches, tables and value files are recognised by their lines together."""
    stripped = [line.strip() for line in lines]
    head, added, removed = (any(map(one.match, stripped)) for one in (_PATCH_HEAD, _ADDED, _REMOVED))
    patched = head or (added and removed)
    ruled = any(_RULE.match(line) and "|" in line for line in stripped)
    valued = _shared_count(stripped, _separators)
    barred = _shared_count(stripped, _bars)
    for line, bare in zip(lines, stripped, strict=True):
        in_patch = patched and (_PATCH_HEAD.match(bare) or _PATCH_LINE.match(bare) or line[:1] == " ")
        row = _TABLE_EDGE.match(bare) or ((ruled or _bars(bare) in barred) and _bars(bare))
        in_table = row and not bare.startswith("|")
        in_values = _separators(bare) in valued and _separators(bare)
        if not (in_patch or in_table or in_values or _RULE.match(bare) or _MACHINE.match(bare)):
            yield line


def _shared_count(lines: Sequence[str], count: Callable[[str], int]) -> set[int]:
    """Return the numbers of marks that several consecutive lines share."""
    runs = ((marks, len(list(run))) for marks, run in groupby(lines, key=count))
    return {marks for marks, rows in runs if marks and rows >= _LEAST_ROWS}


def _separators(line: str) -> int:
    """Return the number of commas or semicolons separating values; 0 if a space follows one, as in a sentence."""
    return line.count(",") + line.count(";") if _VALUES.match(line) else 0


def _bars(line: str) -> int:
    return len(_CELL_BARS.findall(line))
