"""The figures of the service's own machinery."""

from benchmarks.lag import Lag
from benchmarks.scale import Claims, Result, Writes


def test_claims_with_the_most_tenants_are_compared_with_those_with_the_fewest() -> None:
    claims = [Claims(tenants, rate, Lag(1, 1, 1)) for tenants, rate in ((200, 300.0), (2_000, 310.0), (20_000, 120.0))]
    nothing = Writes(0, 0, 0, 0, 0, 0, 0, 0)
    assert Result(claims, nothing, nothing, nothing).flat == 2.5
