from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead import InvalidNamespace
from mosshead.paths import NamespacePath
from workers.console.handlers import asked, is_within, named, namespace_at, place_of

parts = st.text(min_size=1, max_size=30).filter(lambda text: text.strip() and "{" not in text and text.isprintable())
paths = st.one_of(st.sampled_from(["..", ".", "a/b", "a:b", "%2F", "-", "ä?b#c"]), parts)


@given(st.lists(paths, min_size=2, max_size=8))
def test_address_of_any_namespace_leads_back_to_it(names: list[str]) -> None:
    path = NamespacePath.of(names)
    address = f"{place_of(path)}/memories"
    assert namespace_at(address) == path
    # As a browser resolves it, and without any part of it becoming a query.
    assert urlsplit(urljoin("http://host/", address)).path == address


def test_address_is_readable() -> None:
    assert place_of(NamespacePath.of(("acme", "sarah_123"))) == "/n/acme:sarah_123"


@pytest.mark.parametrize("address", ["/n/acme", "/n/:", "/n/acme:%ff", "/n/acme:%00", "/n/acme:{user}"])
def test_address_of_no_namespace_is_refused(address: str) -> None:
    with pytest.raises(InvalidNamespace):
        namespace_at(address)


def test_name_is_typed_as_on_the_command_line() -> None:
    assert named(" /acme/sarah_123/ ") == NamespacePath.of(("acme", "sarah_123"))


def test_empty_name_is_not_looked_up() -> None:
    assert asked("/n/a:b", q="tea & milk", kind=None, state="") == "/n/a:b?q=tea+%26+milk"
    assert asked("/n/a:b", kind=None) == "/n/a:b"


@pytest.mark.parametrize("address", ["/n/a:b", "/n/a:b?limit=3", "/n/a:b/memories/1?event=2"])
def test_form_may_lead_back_within_its_namespace(address: str) -> None:
    assert is_within("/n/a:b", address)


@pytest.mark.parametrize("address", ["", "/", "/n/a:bc", "//evil", "https://evil", "/n/a:b\\..\\evil", "/n/a:b/\\evil"])
def test_form_may_lead_nowhere_else(address: str) -> None:
    assert not is_within("/n/a:b", address)
