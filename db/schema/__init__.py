"""The schema of the database: its SQL by topic, the migrations that run it, the roles, and the version that a database has."""
