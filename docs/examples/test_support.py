from sagaproof import explore
from support import handle


@explore(faults=2)
def test_credit_then_reply(world):
    world.crm.add_contact("cus_7")
    world.billing.add_customer("cus_7")
    world.crm.add_order("4921", total="2500.00", contact="cus_7")
    world.crm.add_ticket("9104", order="4921")
    return handle("9104")
