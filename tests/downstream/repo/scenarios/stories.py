"""What the model does, as data of theirs."""

from sagaproof import Answer, Script, ToolCall

CREDIT_THEN_REPLY = Script(
    "credit, reply",
    (
        ToolCall("issue_credit", {"customer": "cus_7", "amount": 9900}, "call_1"),
        ToolCall("reply", {"ticket": "9104", "text": Answer(1, "id")}, "call_2"),
    ),
)
