"""The read views, version 1: the contract between the apps that read and the service that writes."""

from collections.abc import Callable
from uuid import uuid4

from sqlalchemy import Connection, Engine, create_engine, text

from mosshead.paths import NamespacePath
from mosshead.store import decisions, documents, prompts
from mosshead.urls import sqlalchemy_url

VIEWS = {
    "models": "model dimensions active ready",
    "namespaces": "tenant_id namespace_id path created_at",
    "conversations": "tenant_id namespace_id conversation_id started_at last_message_at ended_at",
    "messages": "tenant_id namespace_id message_id conversation_id role speaker content occurred_at metadata "
    "occurred_at_offset occurred_at_sent sequence",
    "memories": "tenant_id namespace_id memory_id version kind content salience factors confidence tier reinforced attribute "
    "value state superseded_by occurred_from occurred_to granularity valid_from valid_to known_from known_to "
    "said_by marked record_name record key valid_from_offset occurred_from_offset occurred_to_offset",
    "embeddings": "tenant_id namespace_id model owner_kind owner_id embedding version words length terms compact",
    "turns": "tenant_id namespace_id model message_id conversation_id said_at role speaker embedding with_before words length "
    "terms compact",
    "vocabulary": "tenant_id namespace_id model scanned lexeme holders occurrences term",
    "scopes": "tenant_id namespace_id model indexed memories turns_indexed turns",
    "messages_ahead": "tenant_id namespace_id message_id conversation_id role speaker content occurred_at metadata position "
    "occurred_at_offset",
    "expansions": "tenant_id namespace_id memory_id made_of search",
    "terms": "tenant_id namespace_id memory_id term frequency",
    "entities": "tenant_id namespace_id entity_id name entity_type description parent_id tags is_user created_at key search",
    "aliases": "tenant_id namespace_id entity_id alias normalised first_word last_word initials",
    "memory_entities": "tenant_id namespace_id memory_id entity_id role certainty",
    "relations": "tenant_id namespace_id relation_id subject_id predicate object_id memory_id valid_from valid_to",
    "traits": "tenant_id namespace_id entity_id model owner_kind owner_id embedding words compact expansion",
    "profiles": "tenant_id namespace_id entity_id summary version dirty_since refreshed_at",
    "documents": "tenant_id namespace_id document_id schema_name body version updated_at fields made_by",
    "documents_over_time": "tenant_id namespace_id document_id schema_name body version fields known_from known_to "
    "made_by ended_by",
    "prompts": "tenant_id namespace_id name version template syntax optimizer instructions when_to_update made_by reason "
    "restores made_at decision_id",
    "prompt_feedback": "tenant_id namespace_id feedback_id name comment score given_at used_at used_by version",
    "summaries": "tenant_id namespace_id conversation_id content up_to version updated_at",
    "erasures": "tenant_id namespace_id erasure_id scope asked_at erased_at rows late rewritten_at",
    "questions": "tenant_id namespace_id question_id text candidates asked_at answered_at mention memory_id role message_id "
    "conversation_id answer_id",
    "examples": "tenant_id namespace_id example_id mention text entity_id others conversation_id",
    "provenance": "tenant_id namespace_id memory_id message_id quote stance",
    "decisions": "tenant_id namespace_id decision_id action memory_id target_id target_version fact candidates decided_by "
    "prompt_version reason decided_at position batch_id extracted_by refused undoes in_effect hidden",
    "decision_memories": "tenant_id namespace_id memory_id decision_id changed",
    "edges": "tenant_id namespace_id from_id to_id kind weight",
    "entities_over_time": "tenant_id namespace_id entity_id name entity_type description parent_id tags is_user known_from "
    "known_to key",
    "aliases_over_time": "tenant_id namespace_id entity_id alias normalised known_from known_to",
    "memory_entities_over_time": "tenant_id namespace_id memory_id entity_id role certainty known_from known_to",
    "relations_over_time": "tenant_id namespace_id relation_id subject_id predicate object_id memory_id valid_from valid_to "
    "known_from known_to",
    "provenance_over_time": "tenant_id namespace_id memory_id message_id quote stance known_from known_to",
    "edges_over_time": "tenant_id namespace_id from_id to_id kind weight known_from known_to",
    "api_tokens": "tenant_id token_id digest prefix scopes",
    "progress": "tenant_id namespace_id publisher_id received_up_to consolidated_up_to at_work pending",
}


def test_version_1_does_not_change(reader_engine: Engine) -> None:
    """Apps and services of different versions share the views: a change here breaks deployed apps."""
    statement = text("""
        select table_name, string_agg(column_name, ' ' order by ordinal_position) as columns
        from information_schema.columns where table_schema = 'mosshead_read_v1' group by table_name
    """)
    with reader_engine.connect() as connection:
        found = {row.table_name: row.columns for row in connection.execute(statement)}
    assert found == VIEWS


PATH = NamespacePath.of(("acme", "sarah"))

READS: list[Callable[[Connection], object]] = [
    lambda connection: decisions.decisions(connection, PATH, uuid4()),
    lambda connection: decisions.decision(connection, PATH, uuid4()),
    lambda connection: decisions.latest_decisions(connection, PATH, 1),
    lambda connection: decisions.latest_decisions(connection, PATH, 1, action="refuse"),
    lambda connection: documents.decisions(connection, PATH, "Person", 1),
    lambda connection: prompts.decisions(connection, PATH, "greeting"),
    lambda connection: prompts.latest(connection, PATH),
    lambda connection: prompts.versions(connection, PATH, "greeting"),
]


def test_view_may_gain_a_column_while_an_app_reads(migrated_database: str) -> None:
    engine = create_engine(sqlalchemy_url(migrated_database, "MOSSHEAD_ADMIN_URL"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for read in READS:
            for _ in range(10):
                read(connection)  # psycopg prepares a statement on its sixth use
        for name in ("decisions", "prompts"):
            view = f"mosshead_read_v1.{name}"
            selected = connection.exec_driver_sql(f"select pg_get_viewdef('{view}'::regclass)").scalar_one().rstrip(";")
            connection.exec_driver_sql(
                f"create or replace view {view} as select *, 1 as gained from ({selected}) as one"
            )
        for read in READS:
            read(connection)
    engine.dispose()
