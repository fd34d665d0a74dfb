"""An export as downloaded: a file, a folder or a zip."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO
from zipfile import BadZipFile, ZipFile, is_zipfile

from mosshead.errors import InvalidEvent


class Archive:
    """The files of an export by name, with "/" between folders. A single file is an archive of one."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError, or InvalidEvent if a zip is damaged."""
        self.path = path
        self.zipped = path.is_file() and is_zipfile(path)
        if self.zipped:
            try:
                with ZipFile(path) as opened:
                    names = opened.namelist()
            except BadZipFile:
                raise InvalidEvent(f"{path.name}: a damaged zip; download the export again") from None
        elif path.is_dir():
            names = [one.relative_to(path).as_posix() for one in path.rglob("*") if one.is_file()]
        else:
            path.stat()
            names = [path.name]
        self.names = sorted(one for one in names if not one.startswith("__MACOSX/") and not one.endswith("/"))

    @property
    def stem(self) -> str:
        """The name of the export without its extension."""
        return self.path.stem if self.path.suffix in {".zip", ".txt", ".json", ".jsonl"} else self.path.name

    def named(self, name: str) -> str:
        """Return the name of a file of the export for error messages."""
        return name if self.path.is_file() and not self.zipped else f"{self.path.name}/{name}"

    @contextmanager
    def text(self, name: str) -> Iterator[TextIO]:
        """Open a UTF-8 file without its byte order mark. Raises InvalidEvent for another encoding."""
        try:
            if self.zipped:
                with ZipFile(self.path) as opened, opened.open(name) as binary:
                    yield TextIOWrapper(binary, encoding="utf-8-sig")
            else:
                place = self.path / name if self.path.is_dir() else self.path
                with place.open(encoding="utf-8-sig") as file:
                    yield file
        except UnicodeDecodeError:
            raise InvalidEvent(f"{self.named(name)}: not a UTF-8 text file") from None
        except BadZipFile:
            raise InvalidEvent(f"{self.named(name)}: damaged in the zip; download the export again") from None
