"""What a test needs to drive a saga that lives in a durable-execution engine: `Dbos`, for DBOS.

    dbos = Dbos()  # over a SQLite file; over PostgreSQL it is Dbos("postgresql+psycopg://...")

    @explore(recover=dbos.recover)
    def test_order(world):
        world.crm.add_order("4921", total="2500.00")
        return dbos.run(world, confirm, "4921")

The engine itself is an extra (`pip install "sagaproof[dbos]"`), loaded when a run first asks for it.
"""

from __future__ import annotations

from sagaproof._drivers.dbos import Dbos

__all__ = ["Dbos"]
