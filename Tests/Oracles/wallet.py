"""Mints tokens with the independent wallet for the demo: a line of JSON in, a line of JSON out.

    python3 wallet.py ORACLES DIRECTORY

A request holds the options of the wallet's `mint`; with "forged": true the signature belongs to other data. The answer is
{"token": the PKPaymentToken as text, "payload": what is inside}.
"""
import json
import sys
from base64 import b64decode, b64encode
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from apple_wallet import Order, Wallet  # noqa: E402
from unionpay_acquirer import MAGIC_BIN  # noqa: E402

wallet = Wallet(Path(sys.argv[2]))
for line in sys.stdin:
    request = json.loads(line)
    forged = request.pop("forged", False)
    token, payload = wallet.mint(Order(**request))
    # One card in a thousand begins so, and the independent acquirer would play a fault that nobody asked for.
    while payload["applicationPrimaryAccountNumber"].startswith(MAGIC_BIN):
        token, payload = wallet.mint(Order(**request))
    if forged:
        content = json.loads(token)
        data = bytearray(b64decode(content["paymentData"]["data"]))
        data[0] ^= 1
        content["paymentData"]["data"] = b64encode(data).decode()
        token = json.dumps(content, separators=(",", ":"))
    print(json.dumps({"token": token, "payload": payload}), flush=True)
