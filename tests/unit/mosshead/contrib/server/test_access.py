"""What a token opens: the namespaces below its prefix, part by part, and no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.contrib.server.tokens import SCOPES, Access, AccessDenied
from mosshead.errors import InvalidNamespace
from mosshead.paths import NamespacePrefix

parts = st.lists(st.sampled_from(["acme", "acm", "acme2", "sarah", "sar", "é", "e\u0301"]), min_size=1, max_size=4)


def access(*prefix: str) -> Access:
    return Access(NamespacePrefix.of(prefix), frozenset({"read"}))


@given(prefix=parts, asked=parts)
def test_namespace_is_opened_only_if_its_first_parts_are_the_prefix(prefix: list[str], asked: list[str]) -> None:
    given_parts, wanted = (NamespacePrefix.of(one).parts for one in (prefix, asked))
    covered = wanted[: len(given_parts)] == given_parts and len(wanted) > 1
    try:
        opened = access(*prefix).path("/".join(asked)).parts
    except (AccessDenied, InvalidNamespace):
        opened = ()
    assert opened == (wanted if covered else ())


@pytest.mark.parametrize(
    "asked", ["acme/sar", "acme/sarah2", "acme", "", "/", "acme//sarah", "acme/../acme/sarah", "Acme/sarah"]
)
def test_name_that_only_looks_alike_is_not_opened(asked: str) -> None:
    with pytest.raises((AccessDenied, InvalidNamespace)):
        access("acme", "sarah").path(asked)


def test_prefix_that_is_a_namespace_is_the_default_and_a_tenant_is_not() -> None:
    assert access("acme", "sarah").path(None).parts == ("acme", "sarah")
    with pytest.raises(InvalidNamespace, match=r"^namespace: missing; this token covers all of acme"):
        access("acme").path(None)


@pytest.mark.parametrize("scope", SCOPES)
def test_token_allows_only_what_its_scopes_name(scope: str) -> None:
    allowed = Access(NamespacePrefix.of(("acme",)), frozenset(one for one in SCOPES if one != scope))
    for one in SCOPES:
        if one == scope:
            with pytest.raises(AccessDenied, match=f"lacks the scope '{scope}'"):
                allowed.require(one)
        else:
            allowed.require(one)
