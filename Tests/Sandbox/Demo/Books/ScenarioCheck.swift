import Contracts

/// Checks that the day contained what its script requires: an outcome may be right although its fault never happened.
struct ScenarioCheck {
    /// How long after a send the first query runs.
    static let firstQuery = Duration.seconds(3)

    var scenes: [OrderPlay.Result]
    /// The acquirer's own book.
    var sales: [AcquirerSale]
    var followUps: [AcquirerFollowUp]
    /// The addresses where the gateways receive notifications.
    let gateways: [String]
    /// Killed services may query twice, answer late and miss notifications.
    let isChaos: Bool
    /// Faults that any transaction may meet in a storm.
    var stormFaults: Set<String> = []

    var findings: [Finding] {
        scenes.flatMap(faults) + scenes.flatMap(afterwards) + races() + schemes()
            + (isChaos ? [] : scenes.flatMap(notifications) + crosswise())
    }

    /// The acquirer misbehaved where the script says so, and nowhere else.
    private func faults(_ scene: OrderPlay.Result) -> [Finding] {
        let scenario = scene.played.script.scenario
        return scene.played.payments.enumerated().flatMap { number, payment in
            let expected = number == 0 ? scenario.fault?.name ?? ScriptedFault.none : ScriptedFault.none
            return sales(of: scene, payment).flatMap { sale in
                (isRight(sale.fault, expected) ? [] : ["its sale met `\(sale.fault)`, not `\(expected)`"])
                    + (scenario.isFoundByQuery ? query(sale, after: scene.latency) : [])
                    + (scenario == .lostAnswer && sale.queries < 1 ? ["paid without a query"] : [])
            }
        }.map { finding(scene, $0) }
    }

    private func isRight(_ fault: String, _ expected: String) -> Bool {
        fault == expected || (expected == ScriptedFault.none && stormFaults.contains(fault))
    }

    /// The acquirer misbehaved towards a refund where the script says so, and refused a void after its day.
    private func afterwards(_ scene: OrderPlay.Result) -> [Finding] {
        let scenario = scene.played.script.scenario
        let own = followUps.filter { $0.order == scene.played.order }
        var texts = own.filter { $0.kind == "04" }.map(\.fault)
            .filter { !isRight($0, scenario.refundFault?.name ?? ScriptedFault.none) }.map { "its refund met `\($0)`" }
        if scenario.refundFault != nil, !own.contains(where: { $0.kind == "04" }) {
            texts.append("nothing was refunded")
        }
        if scenario == .voidedLate, own.map(\.isDone) != [false, true] || own.map(\.kind) != ["31", "04"] {
            texts.append("the void was not refused and followed by a refund: \(own.map(\.kind))")
        }
        return texts.map { finding(scene, $0) }
    }

    /// Only the query at three seconds can have found the result of this sale.
    private func query(_ sale: AcquirerSale, after latency: Duration) -> [String] {
        var texts: [String] = []
        if sale.notificationsSent > 0 { texts.append("a notification was sent after all") }
        if !isChaos, latency < Self.firstQuery { texts.append("paid after \(latency.text), before any query") }
        if !isChaos, sale.queries != 1 { texts.append("found by \(sale.queries) queries, not by the first") }
        return texts
    }

    /// Every other sale that moved money was notified, and a gateway accepted the notification.
    private func notifications(_ scene: OrderPlay.Result) -> [Finding] {
        guard !scene.played.script.scenario.isFoundByQuery else { return [] }
        return scene.played.payments.flatMap { sales(of: scene, $0) }
            .filter { $0.booked.outcome.charged > 0 && !$0.isAcknowledged }
            .map { _ in finding(scene, "no gateway accepted the notification") }
    }

    /// Each gateway gives the acquirer the other gateway's address, so both are in use.
    private func crosswise() -> [Finding] {
        gateways.filter { gateway in !sales.contains { $0.notifiedAddress.hasPrefix(gateway + "/") } }
            .map { Finding(book: "acquirer", text: "no sale was to be notified to the gateway at \($0)") }
    }

    /// With several races between a cancel and a charge, each wins at least one.
    private func races() -> [Finding] {
        let races = scenes.filter { $0.played.script.scenario == .cancelRace }
        let won = races.count { $0.published.contains { $0.charged > 0 } }
        guard races.count > 1, won == 0 || won == races.count else { return [] }
        return [Finding(scenario: .cancelRace, book: "device", text: "the charge won \(won) of \(races.count) races")]
    }

    /// Both merchants were paid over both token schemes.
    private func schemes() -> [Finding] {
        let paid = scenes.filter { $0.published.contains { $0.charged > 0 } }.map(\.played.script)
        return [0, 1].flatMap { merchant in [true, false].map { (merchant, $0) } }
            .filter { merchant, usesRSA in !paid.contains { $0.merchant == merchant && $0.usesRSA == usesRSA } }
            .map { Finding(book: "device", text: "merchant \($0 + 1) was never paid over \($1 ? "RSA_v1" : "EC_v1")") }
    }

    private func sales(of scene: OrderPlay.Result, _ payment: PaymentID) -> [AcquirerSale] {
        sales.filter { $0.booked.order == scene.played.order && $0.booked.payment == payment }
    }

    private func finding(_ scene: OrderPlay.Result, _ text: String) -> Finding {
        Finding(order: scene.played.order, scenario: scene.played.script.scenario, book: "plot", text: text)
    }
}
