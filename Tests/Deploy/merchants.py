"""A merchants.json of one shop, and keys for it from the sandbox: as Apple and UnionPay would give them."""

import hashlib
import json

APPLE = "merchant.com.example.tea"
ACCOUNT = "777290058110048"
# Where `sandbox wallet init` and `sandbox acquirer init` put what a merchant gets, below their folders.
PROCESSING = f"{APPLE}/processing-EC_v1-1"
IDENTITY = f"{APPLE}/identity"


def merchants(processing, signing, **more):
    """The text; each argument is the path of a key and of its certificate, as they are written in it."""
    apple_pay = {
        "merchantIdentifier": APPLE,
        "keys": [dict(zip(["key", "certificate"], processing))],
        **more.pop("apple_pay", {}),
    }
    merchant = {
        "id": "0190a0b0c0d0e0f00102030405060708",
        "displayName": "Tea House",
        "countryCode": "CN",
        "networks": ["chinaUnionPay"],
        "applePay": apple_pay,
        "routes": [
            {
                "id": "unionpay-1",
                "acquirer": "unionpay",
                "account": ACCOUNT,
                "environment": "test",
                "currencies": ["CNY"],
                "paymentData": ["EMV"],
                "settings": dict(zip(["signingKey", "signingCertificate"], signing)),
            }
        ],
        "apiKeys": [{"id": "shop", "sha256": hashlib.sha256(b"the-shop-s-secret-key").hexdigest()}],
        **more,
    }
    return json.dumps({"merchants": [merchant]}, indent=2)
