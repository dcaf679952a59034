import Foundation
import OrchardServiceKit
import SandboxAcquirer

/// `sandbox acquirer`: a simulator of UnionPay.
enum AcquirerProgram {
    static let command = Command(
        name: "acquirer", summary: "simulate UnionPay's ACP 5.1.0 gateway with its own book",
        subcommands: [initialise, serve])

    private static let initialise = Command(
        name: "init", summary: "write throw-away certificates into a folder; the last line is the merchant's certId",
        arguments: [.init("DIR", help: "The folder, made when it is missing.")],
        options: [
            .value("mer-id", "ID", help: "A merchant's number at UnionPay, 15 characters.", repeatable: true),
            .value("serial-bits", "N", help: "Length of the serial numbers, default 40."),
        ],
        examples: [.init("sandbox acquirer init pki --mer-id 777290058110048", "certificates for one merchant")]
    ) { invocation in
        let merchants = invocation.values("mer-id")
        let bits = Int(invocation[option: "serial-bits"] ?? "40") ?? 0
        guard (8...159).contains(bits) else { throw UsageError("--serial-bits is from 8 to 159") }
        try InitRule.fill(invocation.arguments[0], without: AcquirerPKI.file) { folder in
            let pki = try AcquirerPKI(
                merchants: merchants.isEmpty ? ["777290058110048"] : merchants, serialBits: bits)
            try pki.save(to: folder)
            print("merchant certId \(pki.certificateID)")
        }
        return 0
    }

    private static let serve = Command(
        name: "serve", summary: "serve on 127.0.0.1 until SIGTERM",
        discussion: """
            Prints `ready PORT`. The last three digits of an amount choose what goes wrong with a sale, a \
            preauthorisation or a refund of a part. /_control/book shows what was really done, /_control/summary what \
            each order's card paid and got back, /_control/clock moves the clock, /_control/day keeps a settlement day \
            open, /_control/till sells past the gateway, /_control/misstate puts another amount into the file, \
            /_control/hold keeps requests waiting, /_control/storm adds faults by chance.
            """,
        arguments: [.init("DIR", help: "A folder that `acquirer init` wrote.")],
        options: [
            .value("port", "PORT", help: "The port; 0 takes a free one."),
            .value("time-scale", "FACTOR", help: "Multiplies the minutes between notifications, default 1."),
            .value("process-ms", "MS", help: "Time from acceptance to result, default 20."),
            .value("slow-s", "SECONDS", help: "How long a slow answer takes, default 35."),
            .value("late-s", "SECONDS", help: "How long a late notification is held back, default 90, scaled."),
            .value("notify-timeout-s", "SECONDS", help: "Time to acknowledge a notification, default 10."),
            .value("notify-base", "URL", help: "Replaces scheme, host and port of every backUrl."),
            .value("query-max", "N", help: "The most queries of one transaction in a minute, default 60."),
            .value("fee-bp", "N", help: "The fee in hundredths of a percent, default 60."),
            .flag("plain-amounts", help: "The amount chooses nothing: only what /_control/arm names goes wrong."),
            .flag("no-notify-failures", help: "Failures are not notified."),
        ],
        examples: [.init("sandbox acquirer serve pki --port 8583 --time-scale 0.01", "notifications repeat quickly")]
    ) { invocation in
        let pki = try AcquirerPKI(directory: URL(filePath: invocation.arguments[0]))
        let logger = Logger(label: "acquirer", level: .notice, handler: LogWriter.standardError)
        let server = AcquirerServer(pki: pki, options: try options(invocation), logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await ServiceGroup(services: [server], logger: logger).run() }
            let port = try await server.boundPort
            FileHandle.standardOutput.write(Data("ready \(port)\n".utf8))
            try await group.waitForAll()
        }
        return 0
    }

    private static func options(_ invocation: Invocation) throws(UsageError) -> SimulatorOptions {
        var options = SimulatorOptions()
        options.port = Int(try number(invocation, "port", 0))
        options.timeScale = try number(invocation, "time-scale", 1)
        options.processingTime = .milliseconds(try number(invocation, "process-ms", 20))
        options.slowAnswer = .seconds(try number(invocation, "slow-s", 35))
        options.lateNotification = .seconds(try number(invocation, "late-s", 90))
        options.notificationTimeout = .seconds(try number(invocation, "notify-timeout-s", 10))
        options.notificationBase = invocation[option: "notify-base"]
        options.maximumQueries = Int(try number(invocation, "query-max", 60))
        options.feeBasisPoints = Int64(try number(invocation, "fee-bp", 60))
        options.hasPlainAmounts = invocation.has("plain-amounts")
        options.notifiesFailures = !invocation.has("no-notify-failures")
        return options
    }

    private static func number(
        _ invocation: Invocation, _ name: String, _ standard: Double
    ) throws(UsageError) -> Double {
        guard let text = invocation[option: name] else { return standard }
        guard let number = Double(text), number >= 0, number < 1e9 else {
            throw UsageError("--\(name) is a number, not \(text)")
        }
        return number
    }
}
