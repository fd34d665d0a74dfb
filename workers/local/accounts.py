"""Accounts for the embedded servers when we are root: Postgres refuses to run as root, and Redis need not."""

import os
import pwd
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog

log = structlog.get_logger(__name__)

_FALLBACK = "nobody"  # where accounts cannot be made: a read-only /etc, or no useradd


Account = pwd.struct_passwd
"""An unprivileged account of the operating system."""


def running_as(account: Account | None) -> dict[str, Any]:
    """Return the arguments with which `subprocess` runs a program as an account, or as ourselves."""
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}


def server_account(server: str, program: Path) -> Account | None:
    """Return the account for a server, such as ``postgres``, creating it if missing; None if we are not root.

    program: a file or folder that the account must be able to read.
    """
    if os.geteuid() != 0:
        return None
    name = f"mosshead-{server}"
    found = _look_up(name) or _make(name) or _look_up(_FALLBACK)
    if found is None:
        raise LookupError(f"neither {name} nor {_FALLBACK} is an account of this machine")
    let_reach(found, program)
    let_read(program)
    return found


def _look_up(name: str) -> Account | None:
    with suppress(KeyError):
        return pwd.getpwnam(name)
    return None


def _make(name: str) -> Account | None:
    useradd = shutil.which("useradd") or shutil.which("useradd", path="/usr/sbin:/sbin")
    if useradd is None:
        return None
    command = [useradd, "--system", "--no-create-home", "--shell", "/bin/false", name]
    subprocess.run(command, check=False, capture_output=True)  # noqa: S603 - no part of it comes from outside
    account = _look_up(name)  # another process may have made it meanwhile
    if account:
        log.info("account_made", account=name)
    return account


def let_reach(account: Account | None, folder: Path) -> None:
    """Let the account traverse the folders above ``folder`` without listing or reading them.

    Without an account, do nothing.
    """
    if account is None:
        return
    for above in folder.resolve().parents:
        mode = above.stat().st_mode
        if not mode & stat.S_IXOTH and above.stat().st_uid != account.pw_uid:
            above.chmod(mode | stat.S_IXOTH)
            log.info("folder_made_searchable", folder=str(above), account=account.pw_name)


def let_read(tree: Path) -> None:
    """Let everyone read an installed program; an installation under a strict umask forbids it."""
    for path in (tree, *tree.rglob("*")):
        if path.is_symlink():
            continue
        mode = path.stat().st_mode
        wanted = mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0)
        if wanted != mode:
            path.chmod(wanted)


def give(account: Account | None, tree: Path) -> None:
    """Make the account the owner of a tree; its number may differ from that on the folder's last machine.

    Without an account, do nothing.
    """
    if account is None or tree.stat().st_uid == account.pw_uid:
        return
    for path in (*tree.rglob("*"), tree):
        os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)
