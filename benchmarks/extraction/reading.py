"""Reads the files of cases, and says of a case that does not fit what is wrong with it."""

import json
from pathlib import Path

from pydantic import ValidationError

from benchmarks.extraction.cases import Case
from benchmarks.extraction.checking import faults_of


class CaseError(ValueError):
    """A case that does not fit the format; says the file, the line, the field and what is wrong with it."""


def read_cases(data: Path) -> list[Case]:
    """The cases of a file, or of every ``*.jsonl`` of a folder. Raises CaseError for the first that does not fit."""
    files = sorted(data.glob("*.jsonl")) if data.is_dir() else [data]
    if not files:
        raise CaseError(f"{data}: holds no file *.jsonl")
    cases: dict[str, Case] = {}
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            where = f"{file.name}:{number}"
            case = _parsed(line, where)
            if case.id in cases:
                raise CaseError(f"{where}: id: {case.id} is taken by an earlier case")
            cases[case.id] = case
    return list(cases.values())


def _parsed(line: str, where: str) -> Case:
    try:
        case = Case.model_validate(json.loads(line))
    except json.JSONDecodeError as error:
        raise CaseError(f"{where}: is not JSON: {error.msg} at column {error.colno}") from None
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_url=False)]
        raise CaseError(f"{where}: {'; '.join(faults)}") from None
    fault = next(faults_of(case), None)
    if fault:
        raise CaseError(f"{where}: {case.id}: {fault}")
    return case
