import OrchardHTTPClient
import OrchardHTTPTypes

/// A page of `/metrics`, or the sum of several: values by name and labels as written there.
struct MetricsPage: Sendable, Equatable {
    private(set) var values: [String: Double] = [:]

    init() {}

    /// Reads the text format 0.0.4.
    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                continue
            }
            values[String(line[..<space]), default: 0] += value
        }
    }

    /// The sum of both pages.
    static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.values.merge(right.values, uniquingKeysWith: +)
        return sum
    }

    /// The sum over every series of `name` that has all the labels.
    func total(_ name: String, _ labels: [String: String] = [:]) -> Double {
        values.reduce(0) { sum, series in
            let isOurs = series.key == name || series.key.hasPrefix(name + "{")
            let hasLabels = labels.allSatisfy { series.key.contains("\($0.key)=\"\($0.value)\"") }
            return isOurs && hasLabels ? sum + series.value : sum
        }
    }

    /// Fetches and adds up the pages of equal workers.
    static func read(_ addresses: [String], _ client: HTTPClient) async throws -> MetricsPage {
        var sum = MetricsPage()
        for address in addresses { sum = sum + MetricsPage(try await text(address, client)) }
        return sum
    }

    /// The page of one worker as it is served.
    static func text(_ address: String, _ client: HTTPClient) async throws -> String {
        guard
            case .answered(let answer) = await client.send(
                HTTPClientRequest(method: .get, url: address + "/metrics")), answer.response.status.code == 200
        else { throw DemoError("\(address)/metrics does not answer") }
        return String(decoding: answer.response.body, as: UTF8.self)
    }
}
