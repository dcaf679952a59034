#!/usr/bin/env python3
"""Buys in the shop of deploy/compose by the requests that its pages send, over TLS through the proxy.

    buy.py PORT AUTHORITY

PORT is the proxy's on this machine; names and origin are those of the compose file, as a browser would have them.
"""

import http.client
import json
import socket
import ssl
import sys
import time
import uuid

HOST = "localhost:8443"
ORIGIN = f"https://{HOST}"
PORT, AUTHORITY = int(sys.argv[1]), sys.argv[2]
CONTEXT = ssl.create_default_context(cafile=AUTHORITY)
CONTACT = {
    "addressLines": ["1 Nanjing Road"], "administrativeArea": "上海市", "countryCode": "CN", "locality": "上海市",
    "emailAddress": "mei@example.com", "familyName": "Li", "givenName": "Mei", "phoneNumber": "+8613800000000",
    "postalCode": "200000",
}


def ask(method, path, body=None, ticket=None, host=HOST, **fields):
    """Sends one request; the status, the type and the body of the answer, JSON already read."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    raw = socket.create_connection(("127.0.0.1", PORT), timeout=60)
    connection.sock = CONTEXT.wrap_socket(raw, server_hostname="localhost")
    headers = {"Host": host, "Origin": ORIGIN} | {name.replace("_", "-"): value for name, value in fields.items()}
    if ticket:
        headers["Authorization"] = f"Bearer {ticket}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
    answer = connection.getresponse()
    kind, content = answer.headers.get_content_type(), answer.read()
    connection.close()
    return answer.status, kind, json.loads(content) if kind.endswith("json") and content else content.decode()


def expect(what, is_right, seen):
    if not is_right:
        sys.exit(f"{what}: {seen}")


def get(path, **options):
    status, _, body = ask("GET", path, **options)
    expect(f"GET {path}", status == 200, (status, body))
    return body


def post(path, body, expected=200, **options):
    status, _, answer = ask("POST", path, body, **options)
    expect(f"POST {path}", status == expected, (status, answer))
    return answer


def await_shop():
    """The shop waits for the acquirer, and the proxy for the shop."""
    end = time.monotonic() + 90
    while time.monotonic() < end:
        try:
            if ask("GET", "/api/config")[0] == 200:
                return
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.5)
    sys.exit(f"the shop does not answer: {ask('GET', '/api/config')}")


def buy(product, card):
    """One order, paid with a card; its id and the payment's last answer."""
    opened = post(
        "/api/orders", {"items": [{"id": product, "quantity": 2}]}, 201, Idempotency_Key=str(uuid.uuid4()))
    order, ticket, request = opened["orderId"], opened["ticket"], opened["paymentRequest"]
    region = {name: CONTACT[name] for name in ("administrativeArea", "countryCode", "locality")}
    priced = post(f"/v1/orders/{order}/shipping-contact", {"shippingContact": region}, ticket=ticket)
    ticket, total = priced["ticket"], priced["shippingContactUpdate"]["newTotal"]["amount"]
    # token-ingest fetches the session from the session server; the stand-in demands it before it makes a token.
    session = post(
        "/v1/apple-pay/session", {"validationURL": CONFIG["sessionServer"]}, ticket=ticket)
    expect("the session's domain", session["domainName"] == "localhost", session)
    token = post("/sandbox/token", {
        "card": card, "amount": total, "currency": CONFIG["currency"], "session": session,
        "merchantIdentifier": CONFIG["merchantIdentifier"], "applicationData": request["applicationData"]})
    accepted = post("/v1/payments", {"token": token, "shippingContact": CONTACT}, 202, ticket=ticket)
    for _ in range(4):
        payment = get(f"/v1/orders/{order}/payments/{accepted['paymentId']}?wait=25", ticket=ticket)
        if payment["final"]:
            break
    expect("the shop's view of the order", get(f"/api/orders/{order}", ticket=ticket)["orderId"] == order, order)
    return order, total, payment


def await_behind(order, kinds):
    """What the second window shows of an order; it has no data of the card or the customer."""
    seen, last, end = [], "", time.monotonic() + 60
    while time.monotonic() < end:
        text = get(f"/api/behind?order={order}", **({"Last_Event_ID": last} if last else {}))
        expect("personal data behind", "Nanjing" not in text and "mei@" not in text, text)
        for line in text.splitlines():
            if line.startswith("id: "):
                last = line[4:]
            elif line.startswith("data: "):
                seen.append(json.loads(line[6:])["kind"])
        if kinds <= set(seen):
            return
    sys.exit(f"behind order {order}: {kinds - set(seen)} are not among {seen}")


await_shop()
for page, kind in [("/", "text/html"), ("/behind.html", "text/html"), ("/js/shop.js", "text/javascript")]:
    status, found, _ = ask("GET", page)
    expect(page, (status, found) == (200, kind), (status, found))
CONFIG = get("/api/config")
expect("the services' address", CONFIG["ledger"] == CONFIG["ingest"] == ORIGIN, CONFIG)
status, _, answer = ask("GET", "/", host="proxy:8443")
expect("another host", status == 421 and answer["code"] == "host-unknown", (status, answer))
status, _, answer = ask("GET", "/api/books")
expect("the books", status == 404 and answer["code"] == "books-elsewhere", (status, answer))
status, _, answer = ask("POST", "/webhooks", {"type": "order.paid"})
expect("a stranger's webhook", status == 400 and answer["code"] == "webhook-refused", (status, answer))

paid, total, payment = buy("oolong", "everyday")
expect("a card that pays", payment["status"] == "paid" and total == "98.00", (total, payment))
declined, _, payment = buy("cup", "empty")
expect("an empty card", payment["status"] == "declined", payment)
silent, _, payment = buy("green", "silent")
expect("a lost answer", payment["status"] == "paid", payment)
# Facts come from Kafka, order.paid by a webhook through the proxy.
await_behind(paid, {"order.opened", "charge.requested", "payment.accepted", "payment.succeeded", "order.paid"})
await_behind(declined, {"payment.declined", "order.declined"})
print(f"orders {paid} and {silent} are paid, {declined} is declined")
