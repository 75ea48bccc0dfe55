"""A saga as it is often written: undo what was done, newest first, and carry on if an undo fails."""

import httpx


def handle(ticket: str) -> str:
    """Credit the customer, solve the ticket, mail; say how it ended."""
    with httpx.Client(timeout=5) as http:
        order = send(http, "GET", "https://crm.test/orders/4921")
        undos = []
        try:
            body = {"customer": order["contact"], "amount": order["total"]}
            credit = send(http, "POST", "https://billing.test/credits", body)
            undos.append(("POST", f"https://billing.test/credits/{credit['id']}/reverse", None))
            send(http, "PUT", f"https://crm.test/tickets/{ticket}/status", {"status": "solved"})
            undos.append(("PUT", f"https://crm.test/tickets/{ticket}/status", {"status": "open"}))
            mail = {"to": "ada@example.com", "subject": "Your credit", "body": "It is on its way."}
            send(http, "POST", "https://mail.test/messages", mail)
        except httpx.HTTPError:
            for undo in reversed(undos):
                try:
                    send(http, *undo)
                except httpx.HTTPError as error:
                    print("could not undo", undo, error)
            return "compensated"
    return "completed"


def send(http, method, url, body=None):
    """One call; raises if it did not succeed."""
    response = http.request(method, url, json=body)
    response.raise_for_status()
    return response.json()
