"""Serves the independent acquirer for the demo, with control commands that it lacks and the sandbox's own has.

    python3 acquirer.py ORACLES serve DIRECTORY …

POST day {"open": "2026-11-23"} keeps a past UnionPay day open, so that its file can be fetched at once; POST day {} closes it.
POST hold {"stage": "received" or "booked", "count": N} keeps the next requests waiting before they are booked, or before they
are answered; GET held lists them, POST release lets them go on. Amounts that end in 760 are declined in the answer, and money
moves all the same. Its book, rules, other faults and files are its own.
"""
import asyncio
import sys

sys.path.insert(0, sys.argv.pop(1))
import unionpay_acquirer as simulator  # noqa: E402

day_of_clock = simulator.unionpay_day
declined_then_paid = simulator.Fault("declined_then_paid", sync="64")
simulator.FAULTS[760] = simulator.BY_NAME[declined_then_paid.name] = declined_then_paid


class Acquirer(simulator.Acquirer):
    """The acquirer with days that stay open, and requests that wait."""

    open_day = ""

    def reset(self):
        super().reset()
        self.holds, self.held = [], []

    async def back(self, fields):
        await self.wait(fields, "received")
        reply = await super().back(fields)
        await self.wait(fields, "booked")
        return reply

    async def wait(self, fields, stage):
        """Waits when a hold of this stage is left."""
        hold = next((hold for hold in self.holds if hold["stage"] == stage), None)
        if hold is None:
            return
        hold["count"] -= 1
        self.holds = [hold for hold in self.holds if hold["count"] > 0]
        entry = (fields, stage, asyncio.Event())
        self.held.append(entry)
        await entry[2].wait()

    def control(self, what, query, args):
        match what:
            case "POST day":
                Acquirer.open_day = args.get("open", "").replace("-", "")
                return super().control("POST clock", query, {"offset_s": self.offset})
            case "POST hold":
                self.holds.append({"stage": args["stage"], "count": args.get("count", 1)})
                return {"ok": True}
            case "GET held":
                names = ("backUrl", "orderId", "reqReserved", "txnTime", "txnType")
                return [{name: fields.get(name, "") for name in names} | {"stage": stage}
                        for fields, stage, _ in self.held]
            case "POST release":
                released, self.held = self.held, []
                for _, _, event in released:
                    event.set()
                if args.get("forget"):
                    self.holds = []
                return {"released": len(released)}
        return super().control(what, query, args)


simulator.unionpay_day = lambda moment: Acquirer.open_day or day_of_clock(moment)
simulator.Acquirer = Acquirer
simulator.main()
