import pytest
from sagaproof import explore

from inn.nightly import raise_priorities


@pytest.mark.parametrize("tickets", [["1"], ["1", "2"]], ids=["one", "two"])
@explore
async def test_priorities_are_raised_in_the_end(world, tickets):
    for ticket in tickets:
        world.crm.add_ticket(ticket)
    return await raise_priorities(tickets)
