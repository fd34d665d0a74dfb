"""The library derives the same ids as the database."""

from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Engine, text

from mosshead.paths import NamespacePath

PART = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"], exclude_characters="{}"), min_size=1, max_size=20
).filter(str.strip)


@example(parts=["acme", "Zoë", "日本 🎉"])
@given(parts=st.lists(PART, min_size=2, max_size=8))
def test_python_and_sql_derive_the_same_ids(parts: list[str], admin_engine: Engine) -> None:
    path = NamespacePath.of(parts)
    statement = text("""
        select mosshead.derived_id('tenant', (cast(:parts as text[]))[1:1]) as tenant_id,
               mosshead.derived_id('namespace', cast(:parts as text[])) as namespace_id
    """)
    with admin_engine.connect() as connection:
        row = connection.execute(statement, {"parts": list(path.parts)}).one()
    assert (row.tenant_id, row.namespace_id) == (path.tenant_id, path.namespace_id)
