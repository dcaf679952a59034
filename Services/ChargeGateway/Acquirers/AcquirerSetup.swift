import Contracts
import Foundation
import KeyFiles
import OrchardHTTPClient
import OrchardServiceKit

/// What an acquirer brings to the gateway: its settings, and the way from the merchants' routes to a connector.
///
/// A new acquirer is a folder with a type of this protocol, and a line in ``AcquirerDirectory/setups``.
public protocol AcquirerSetup: Sendable {
    /// Its name in `merchants.json`.
    static var name: String { get }
    static var capabilities: AcquirerCapabilities { get }
    /// Where it sends notifications; none when it sends none.
    static var endpoints: [AcquirerEndpoint] { get }

    /// Reads the acquirer's own section of the configuration.
    init(reader: ConfigReader)

    /// How the HTTP client that speaks to the acquirer is set up.
    var client: HTTPClientConfiguration { get }

    /// Makes the connector of the routes that lead to the acquirer. It reads their settings, and the files that they name.
    ///
    /// - Parameters:
    ///   - folder: the folder of `merchants.json`, from which paths in it are taken.
    ///   - client: set up as ``client`` says, and run by the caller.
    /// - Throws: ``ConfigurationError`` with every setting, file and route that is wrong.
    func connector(
        for registry: MerchantRegistry, in folder: URL, client: HTTPClient, logger: Logger
    ) throws(ConfigurationError) -> AcquirerConnector
}

/// A connector, and what it was made of.
public struct AcquirerConnector: Sendable {
    public let acquirer: any Acquirer
    /// The files that it was made of besides `merchants.json`: when one changes, it is made again. Relative paths are taken
    /// from the folder of `merchants.json`.
    public let files: [String]
    /// The merchants' certificates, whose end is watched.
    public let certificates: [CertificateExpiry]

    public init(_ acquirer: any Acquirer, files: [String] = [], certificates: [CertificateExpiry] = []) {
        self.acquirer = acquirer
        self.files = files
        self.certificates = certificates
    }
}
