"""The story on DBOS over PostgreSQL: the same findings as over SQLite, and none of a database in use."""

from __future__ import annotations

import pytest
from tests.scenarios.expected import require_expected

from sagaproof import Scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._search.explore import explore
from sagaproof.engines import Dbos
from sagaproof_scenarios.order_on_dbos.scenarios import on

pytest.importorskip("dbos", reason="needs dbos")


@pytest.fixture(scope="module")
def scenarios(postgres: str) -> dict[str, Scenario]:
    return {scenario.name: scenario for scenario in on(Dbos(postgres))}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["order-dbos", "order-dbos-keyless"])
def test_a_variant_has_the_findings_that_it_is_known_to_have(
    scenarios: dict[str, Scenario], name: str
) -> None:
    known = scenarios[name]
    require_expected(known, explore(subject_of_scenario(known), known.settings), faults=1)


@pytest.mark.slow
def test_a_database_in_which_others_have_started_workflows_is_left_alone(postgres: str) -> None:
    import sqlalchemy as sa  # noqa: PLC0415  # comes with DBOS
    from dbos import DBOS  # noqa: PLC0415

    url = postgres.replace("/sagas?", "/in_use?")
    DBOS.migrate(url)
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    row = "INSERT INTO dbos.workflow_status (workflow_uuid, application_version) VALUES ('w', '1.0')"
    with engine.begin() as connection:
        connection.execute(sa.text(row))

    (known, *_) = on(Dbos(url))
    (error,) = explore(subject_of_scenario(known), known.settings).errors

    assert "1 workflows that no test has started" in error
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM dbos.workflow_status")).scalar() == 1
