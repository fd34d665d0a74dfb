"""Cards, IBANs and social security numbers: found anywhere by their checksums; with one digit changed, they stay."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosshead.redaction import redact
from mosshead.redaction.numbers import passes_luhn, passes_mod_97
from tests.secrets_given import CARRIERS, card, grouped, iban

SEEDS = st.integers(0, 2**32).map(random.Random)
AROUND = st.sampled_from(CARRIERS)
BETWEEN = st.sampled_from(["", " ", "-", "\u00a0", "\n", "\u2011"])
ISSUED = st.sampled_from(
    [("4", 16), ("4", 19), ("53", 16), ("2300", 16), ("6011", 16), ("3540", 16), ("62", 16), ("6759", 16)]
)
COUNTRIES = st.sampled_from(
    [("DE", "9" * 18), ("GB", "AAAA" + "9" * 14), ("NO", "9" * 11), ("MT", "AAAA" + "9" * 23), ("FR", "9" * 23)]
)


@given(SEEDS, ISSUED, BETWEEN, AROUND)
def test_card_is_redacted(rng: random.Random, issued: tuple[str, int], between: str, around: str) -> None:
    digits = card(rng, *issued)
    written = grouped(digits, (4, 4, 4, 4), between)
    redacted = redact(around.format(written))
    assert written not in redacted
    assert "[redacted: card number]" in redacted


@given(SEEDS, ISSUED, st.integers(1, 9))
def test_number_that_fails_luhn_stays(rng: random.Random, issued: tuple[str, int], off: int) -> None:
    digits = card(rng, *issued)
    wrong = digits[:-1] + str((int(digits[-1]) + off) % 10)
    assert not passes_luhn(wrong)
    assert redact(f"it says {wrong}") == f"it says {wrong}"


@given(SEEDS, st.integers(1, 9), st.booleans())
def test_part_of_a_longer_number_stays(rng: random.Random, digit: int, before: bool) -> None:
    digits = card(rng, "4", 16) + "0000"
    longer = f"{digit}{digits}" if before else f"{digits}{digit}"
    assert redact(f"it says {longer}") == f"it says {longer}"


@pytest.mark.parametrize("start", ["0", "1", "2999", "7", "90"])
@given(rng=SEEDS)
def test_number_of_no_issuer_stays(rng: random.Random, start: str) -> None:
    digits = card(rng, start, 16)
    assert redact(f"it says {digits}") == f"it says {digits}"


@given(SEEDS, COUNTRIES, BETWEEN, AROUND)
def test_iban_is_redacted(rng: random.Random, country: tuple[str, str], between: str, around: str) -> None:
    whole = iban(rng, *country)
    written = grouped(whole, [4] * (len(whole) // 4), between)
    redacted = redact(around.format(written))
    assert written not in redacted
    assert "[redacted: IBAN]" in redacted


@given(SEEDS, COUNTRIES, st.integers(1, 8))
def test_iban_with_a_wrong_checksum_stays(rng: random.Random, country: tuple[str, str], off: int) -> None:
    whole = iban(rng, *country)
    wrong = whole[:-1] + str((int(whole[-1]) + off) % 10)
    assert not passes_mod_97(wrong)
    assert "IBAN" not in redact(f"it says {wrong}")


@given(
    st.sampled_from(
        ["000-12-3456", "666-12-3456", "912-34-5678", "123-00-4567", "123-45-0000", "1123-45-6789", "123-45-67890"]
    )
)
def test_number_outside_the_ranges_of_social_security_stays(number: str) -> None:
    assert redact(f"it says {number}") == f"it says {number}"
