import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// A route that open charges, and what follows them, use, as the database has it.
struct RouteUse: Hashable, Sendable {
    let merchant: MerchantID
    let route: RouteReference
    let acquirer: String
    let account: String
    /// How many charges.
    let charges: Int64

    /// The routes of open charges that a registry lacks, or that lead elsewhere in it.
    ///
    /// Pure, for the start and for a registry that is read again.
    static func problems(of uses: [RouteUse], in registry: MerchantRegistry) -> [ConfigurationError.Problem] {
        uses.compactMap { use in
            let merchant = registry[use.merchant]
            guard merchant?.route(use.route) == nil else { return nil }
            let isThere = merchant?.routes.contains { $0.id == use.route.id } == true
            let charges = use.charges == 1 ? "a charge under way uses" : "\(use.charges) charges under way use"
            return .init(
                key: "merchants: \(merchant?.displayName ?? use.merchant.description), route \(use.route.id)",
                reason: "\(isThere ? "leads elsewhere now" : "is missing"), but \(charges) it "
                    + "(acquirer \(use.acquirer), account \(use.account)); put it back as it was, "
                    + "and give another account another id")
        }
    }

    /// The routes in use. Damaged rows are told and left out: their charges wait, and the gateway starts for the others.
    static func all(on connection: PostgresConnection, logger: Logger) async throws -> [RouteUse] {
        try await connection.query(
            """
            SELECT merchant_id, route_id, route_digest, acquirer, account, count(*) AS charges FROM (
                SELECT merchant_id, route_id, route_digest, acquirer, account FROM gateway.operations
                WHERE is_live AND route_id IS NOT NULL
                UNION ALL
                SELECT merchant_id, route_id, route_digest, acquirer, account FROM gateway.follow_ups
                WHERE is_live AND route_id IS NOT NULL) AS open
            GROUP BY merchant_id, route_id, route_digest, acquirer, account ORDER BY merchant_id, route_id, route_digest
            """
        ).reading { row in
            RouteUse(
                merchant: try row.identifier("merchant_id"),
                route: try row.routeReference(try row.string("route_id")),
                acquirer: try row.string("acquirer"), account: try row.string("account"),
                charges: try row.int64("charges"))
        } damaged: { row, error in
            let charges = try row.int64("charges")
            logger.error("the route of \(charges) charges under way is not checked, their rows are damaged: \(error)")
        }
    }
}
