import Foundation

/// The documented settings of the three services, as environment variables.
struct ServiceSettings {
    let workspace: Workspace
    let kafka: DemoKafka
    /// Connection strings of each service's own role.
    let gatewayDatabase: String
    let ledgerDatabase: String
    /// The acquirer's address.
    let acquirer: String
    /// Whether settlement files are fetched as soon as the acquirer has them; else at the usual times.
    let fetchesFilesAtOnce: Bool
    /// For a shop on the web; nil for apps alone.
    let web: WebShop?

    private func common(_ service: String) -> [String: String] {
        kafka.settings(for: service).merging([
            "MERCHANTS": workspace.merchantsFile.path, "HTTP_HOST": "127.0.0.1", "ADMIN_HOST": "127.0.0.1",
            "LOG_FORMAT": "json", "LOG_LEVEL": "info",
        ]) { _, new in new }
    }

    func ingest(http: Int, admin: Int) -> [String: String] {
        let root = workspace.wallet.appending(path: "root.cert.pem").path
        return common("token-ingest").merging([
            "HTTP_PORT": "\(http)", "ADMIN_PORT": "\(admin)", "TICKET_KEYS": workspace.ticketKeys.path,
            "SEALING_KEYS": workspace.sealingPublic.path, "CONTACT_KEYS": workspace.contactPublic.path,
            "APPLE_ROOT": root,
        ]) { _, new in new }
        .merging(web.map { ["APPLE_SESSIONS_SERVER": $0.sessionServer, "APPLE_SESSIONS_ROOT": root] } ?? [:]) {
            _, new in new
        }
    }

    /// - Parameter notifications: the notification address for this gateway's charges.
    func gateway(http: Int, admin: Int, notifications: String) -> [String: String] {
        common("charge-gateway").merging([
            "HTTP_PORT": "\(http)", "ADMIN_PORT": "\(admin)", "TICKET_KEYS": workspace.ticketKeys.path,
            "SEALING_KEYS": workspace.sealingPrivate.path, "POSTGRES_URL": gatewayDatabase,
            "UNIONPAY_URL": acquirer, "UNIONPAY_NOTIFICATIONS": notifications + "/v1/notifications/unionpay",
            "UNIONPAY_ROOT": workspace.acquirer.appending(path: "unionpay_root.pem").path,
            "UNIONPAY_MIDDLE": workspace.acquirer.appending(path: "unionpay_middle.pem").path,
            "UNIONPAY_SETTLEMENT_URL": acquirer + "/file",
        ]) { _, new in new }
        .merging(fetchesFilesAtOnce ? ["SETTLEMENT_INTERVAL": "2s", "SETTLEMENT_MARGIN": "0s"] : [:]) { _, new in new }
    }

    func ledger(http: Int, admin: Int) -> [String: String] {
        common("order-ledger").merging([
            "HTTP_PORT": "\(http)", "ADMIN_PORT": "\(admin)", "TICKET_SIGNING_KEY": workspace.ticketKey.path,
            "TICKET_KEYS": workspace.ticketKeys.path, "CONTACT_KEYS": workspace.contactPrivate.path,
            "POSTGRES_URL": ledgerDatabase,
            // The day is shorter than the shortest life of a real order.
            "EXPIRY_MINIMUM": "1s", "EXPIRY_GRACE": "1s",
        ]) { _, new in new }
    }
}
