"""What the tests of the service's processes share."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine


@pytest.fixture
def picky(admin_engine: Engine) -> Iterator[None]:
    """The database refuses messages that say 7, as it does what nobody has thought of."""
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("""
            create function public.refuse_seven() returns trigger language plpgsql as $$
            begin raise exception 'no sevens' using errcode = '22003'; end $$;
            create trigger picky before insert on recollect.messages
            for each row when (new.content = '7') execute function public.refuse_seven()
        """)
    yield
    with admin_engine.begin() as connection:
        connection.exec_driver_sql("drop trigger picky on recollect.messages; drop function public.refuse_seven()")
