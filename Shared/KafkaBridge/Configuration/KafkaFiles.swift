import OrchardServiceKit

/// The files that librdkafka's settings name. It looks for them only when a client is made, and then tells OpenSSL's
/// number of the error without the file's path; so they are looked for when the configuration is read.
enum KafkaFiles {
    /// The settings whose values are paths of files. Libraries (`plugin.library.paths`, `ssl.engine.location`) are no
    /// such paths: the system's loader looks for them in several folders.
    static let settings: Set<String> = [
        "ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.keystore.location", "ssl.crl.location",
        "https.ca.location", "sasl.kerberos.keytab", "sasl.oauthbearer.assertion.private.key.file",
        "sasl.oauthbearer.assertion.file", "sasl.oauthbearer.assertion.jwt.template.file",
    ]
    /// Those that may name a folder of certificates too, or `probe`: the places that systems usually have.
    static let authorities: Set<String> = ["ssl.ca.location", "https.ca.location"]

    /// What is wrong with the file that a setting names, nil when nothing is or the setting names none.
    static func problem(_ name: String, _ text: String) -> String? {
        // librdkafka takes a value without the white space before it, and an empty one as not set.
        var path = text.drop(while: \.isWhitespace)
        guard settings.contains(name), !path.isEmpty else { return nil }
        if authorities.contains(name), path == "probe" { return nil }
        if name == "sasl.kerberos.keytab", path.hasPrefix("FILE:") { path = path.dropFirst("FILE:".count) }
        let reason = ConfigReader.problem(withFile: String(path), mayBeFolder: authorities.contains(name))
        return reason.map { "\"\(path)\" \($0)" }
    }
}
