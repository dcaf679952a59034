"""What schemathesis cannot generate: orders that exist, their tickets, and tokens that Apple's wallet would sign."""

import atexit
import json
import os
import re
import subprocess

import descriptions
import requests
import schemathesis

LEDGER = os.environ["LEDGER"]
INGEST = os.environ["INGEST"]
MERCHANT = os.environ["MERCHANT"]
APPLE = "merchant.com.example.tea"
API_KEY = {"Authorization": "Bearer " + os.environ["API_KEY"]}
ORDER = {
    "currency": "CNY",
    "reference": "A-1001",
    "coupons": [{"code": "TEA10", "label": "Tea week", "percent": 10}],
    "cardTypePrices": [{"cardTypes": ["credit"], "label": "Card fee", "surcharge": "1.00"}],
    "shippingMethods": [
        {"identifier": "post", "label": "Post", "amount": "8.00", "regions": ["CN"]},
        {"identifier": "courier", "label": "Courier", "amount": "20.00", "regions": ["CN/上海市"]},
    ],
}
CONTACT = {
    "givenName": "Li", "familyName": "Wei", "addressLines": ["南京东路 1 号"], "locality": "上海市", "countryCode": "CN",
}


def open_order(is_declined=False):
    # The sandbox's acquirer decides by the last digits of the total: 864 is "insufficient funds".
    lines = [{"label": "Tea", "unitAmount": "50.64" if is_declined else "50.00"}]
    answer = requests.post(LEDGER + "/v1/orders", json={**ORDER, "lines": lines}, headers=API_KEY)
    answer.raise_for_status()
    return answer.json()


def mint(order):
    """A token that pays the order."""
    total = order["paymentRequest"]["total"]["amount"]
    run = subprocess.run(
        ["sandbox", "wallet", "mint", os.environ["WALLET"], "--merchant", APPLE, "--amount", total, "--type", "EMV",
         "--application-data", order["orderId"]], check=True, capture_output=True)
    return json.loads(run.stdout)


def paid_order():
    order = open_order()
    bearer = {"Authorization": "Bearer " + order["ticket"]}
    body = {"token": mint(order), "shippingContact": CONTACT}
    answer = requests.post(INGEST + "/v1/payments", json=body, headers=bearer)
    answer.raise_for_status()
    path = "/v1/orders/{orderId}/payments/{paymentId}?wait=25".format(**answer.json())
    outcome = requests.get(LEDGER + path, headers=bearer).json()
    assert outcome["status"] == "paid", outcome
    return order


class Orders:
    """An order for each operation. One that an operation ends or changes is replaced after so many requests."""

    def __init__(self):
        self.orders, self.requests = {}, {}

    def of(self, operation):
        count = self.requests[operation] = self.requests.get(operation, -1) + 1
        if count % 20 == 0:
            # A paid one is for what needs it; the contact is erased for ever.
            needs_payment = operation.endswith("/contact") or operation.endswith("/fulfilments")
            is_even = count % 40 == 0
            self.orders[operation] = paid_order() if needs_payment and is_even else open_order(is_declined=not is_even)
        return self.orders[operation]


ORDERS = Orders()


def payable(value):
    """The value with each amount in yuan's decimals: of random ones, hardly an order could be opened."""
    if isinstance(value, dict):
        return {name: "CNY" if name == "currency" else payable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [payable(each) for each in value]
    if isinstance(value, str) and re.fullmatch(r"(0|[1-9][0-9]{0,18})(\.[0-9]{1,4})?", value):
        return value.split(".")[0][:4] + ".50"
    return value


# Without an interval each request gets its own.
@schemathesis.auth(refresh_interval=None)
class Credentials:
    """The credential of the operation, and what exists in the place of what was generated, where that is well formed."""

    def get(self, case, context):
        if "/merchants/" in case.operation.path:
            return MERCHANT, None
        needs = [name for each in case.operation.definition.raw.get("security", []) for name in each]
        if "{id}" not in case.operation.path and "ticket" not in needs:
            return None, os.environ["API_KEY"] if needs else None
        order = ORDERS.of(case.operation.label)
        return order["orderId"], needs and (order["ticket"] if needs[-1] == "ticket" else os.environ["API_KEY"])

    def set(self, case, data, context):
        identifier, bearer = data
        # A generated id that is none tells how that is refused.
        if re.fullmatch("[0-9a-f]{32}", str((case.path_parameters or {}).get("id", ""))):
            case.path_parameters["id"] = identifier
        # Nothing happens to these payments: a long poll would wait for all its time.
        query = case.query or {}
        if str(query.get("wait", "")).isdigit() and int(query["wait"]) <= 25:
            query["wait"] = 0
        body = case.body if isinstance(case.body, dict) else {}
        if case.operation.label == "POST /v1/orders" and re.fullmatch("[A-Z]{3}", str(body.get("currency", ""))):
            case.body = payable(body)
        is_positive = case.meta and case.meta.generation.mode == schemathesis.GenerationMode.POSITIVE
        if case.operation.label == "POST /v1/payments" and is_positive and body:
            number = ORDERS.requests[case.operation.label]
            if number % 4 == 0:
                body["token"] = mint(ORDERS.orders[case.operation.label])
            if number % 8 == 0:
                body.setdefault("shippingContact", CONTACT)
        if bearer:
            case.headers["Authorization"] = "Bearer " + bearer


@schemathesis.hook
def after_call(context, case, response):
    """Keeps the newest ticket, and notes what was answered."""
    order = ORDERS.orders.get(case.operation.label)
    if order and response.status_code == 200 and b'"ticket"' in response.content:
        order["ticket"] = response.json()["ticket"]
    descriptions.SEEN.add(f"{os.environ['SERVICE']} {case.operation.label} {response.status_code}")


atexit.register(descriptions.keep_seen)
