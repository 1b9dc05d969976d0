"""Alembic's entry point. It migrates over the connection that `migrate.migrate` passes."""

from alembic import context

from cambist.storage.sql.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,  # SQLite can, whatever its driver's defaults say
)
with context.begin_transaction():
    context.run_migrations()
