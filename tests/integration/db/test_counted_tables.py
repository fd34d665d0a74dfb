"""What an erasure's receipt counts."""

import pytest

from db.erasure import entities, memories
from db.erasure.scopes import CONVERSATION, MESSAGES, SCRIPTS, TABLES_OF_NAMESPACE, counted_tables


def counted(sql: str) -> list[str]:
    return sorted({table for table in counted_tables(sql) if table})


def test_each_script_counts_the_tables_it_empties() -> None:
    assert (
        counted(memories.STATEMENTS)
        == "embeddings events expansions memories memory_edges memory_entities questions relations".split()
    )
    assert counted(memories.LOG) == "decision_memories decisions events".split()
    assert counted(entities.UNLEARNED) == "entities entity_aliases".split()
    assert counted(entities.STATEMENTS) == (
        "embeddings entities entity_aliases examples memory_entities profiles relations".split()
    )
    assert counted(CONVERSATION) == (
        "conversations dead_letters events examples reflection_batches reflections summaries".split()
    )
    assert counted(MESSAGES) == (
        "candidate_facts candidate_turns dead_letters events examples "
        "memory_sources messages step_results turns vocabulary".split()
    )


def test_rows_that_only_depend_on_erased_ones_are_not_counted() -> None:
    assert [sum(table is None for table in counted_tables(sql)) for sql in SCRIPTS] == [4, 1, 0, 0, 4, 1, 0, 3]


def test_statement_with_a_comment_is_counted() -> None:
    assert counted_tables("delete from mosshead.turns -- kept\n where true") == ("turns",)
    assert counted_tables("-- kept\n update mosshead.turns set words = ''") == (None,)


@pytest.mark.parametrize("sql", ["delete from  mosshead.turns", "insert into mosshead.turns default values"])
def test_statement_missing_from_the_receipt_is_refused(sql: str) -> None:
    with pytest.raises(ValueError, match="neither deletes nor updates"):
        counted_tables(sql)


def test_no_namespace_table_is_listed_twice() -> None:
    assert len(TABLES_OF_NAMESPACE) == len(set(TABLES_OF_NAMESPACE))
