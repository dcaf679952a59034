extension Fact {
    /// Every type that this version reads. A type beside these that one of our own programs wrote is a newer version's.
    public static let types: Set<String> = [
        PaymentEvent.resolvedType,
        "orchard.command.rejected.v1", "orchard.order.closed.v1", "orchard.order.opened.v1",
        "orchard.order.repriced.v1", "orchard.payment.accepted.v1", "orchard.payment.conflicted.v1",
        "orchard.payment.declined.v1", "orchard.payment.lateSuccess.v1", "orchard.payment.notCharged.v1",
        "orchard.payment.refused.v1", "orchard.payment.succeeded.v1",
        "orchard.payment.unknown.v1",
    ]
}
