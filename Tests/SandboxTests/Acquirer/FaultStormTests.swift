import OrchardJSON
import Testing

@testable import SandboxAcquirer
@testable import SandboxDemo

@Suite("A storm of faults by chance")
struct FaultStormTests {
    private let merchant: Merchant

    init() throws { merchant = try Merchant(now: BeijingTime(seconds: 1_795_244_602)) }

    private func storm(_ text: String) throws -> FaultStorm { try FaultStorm(try JSONValue(parsing: Array(text.utf8))) }

    private func sale(_ number: Int) -> TransactionRequest {
        TransactionRequest(
            merchant.sale("order\(1_000 + number)", amount: 10_000, [:]), .sale, card: "6259020040003629")
    }

    private func faults(_ storm: FaultStorm) -> [String] { (0..<2_000).map { storm.fault(of: sale($0)).name } }

    @Test("strikes the same requests for the same seed, others for another, and about as many as it says")
    func seed() throws {
        let faults = try faults(storm(#"{"seed": 7, "faults": {"lost_answer": 0.1, "silent_paid": 0.05}}"#))
        let again = try self.faults(storm(#"{"seed": 7, "faults": {"lost_answer": 0.1, "silent_paid": 0.05}}"#))
        let other = try self.faults(storm(#"{"seed": 8, "faults": {"lost_answer": 0.1, "silent_paid": 0.05}}"#))
        #expect(faults == again && faults != other)
        #expect((140...260).contains(faults.count { $0 == "lost_answer" }))
        #expect((60...140).contains(faults.count { $0 == "silent_paid" }))
    }

    @Test("strikes only the kinds that it names")
    func kinds() throws {
        let storm = try storm(#"{"txnTypes": ["04"], "faults": {"lost_answer": 1}}"#)
        #expect(Set(faults(storm)) == ["normal"])
    }

    @Test(
        "is refused when it names no fault, no kind or no probability",
        arguments: [
            #"{"faults": {"lost_everything": 0.1}}"#, #"{"faults": {"lost_answer": 2}}"#,
            #"{"faults": {"lost_answer": "x"}}"#,
            #"{"query": {"77": 0.1}}"#, #"{"txnTypes": ["09"]}"#,
        ])
    func refused(text: String) {
        #expect(throws: ControlError.self) { try storm(text) }
    }

    @Test("leaves a scripted fault alone, loses a request once, and lets queries fail")
    func book() throws {
        var book = Book()
        book.begin(try storm(#"{"faults": {"lost_request": 1}, "query": {"37": 1}}"#))
        let scripted = merchant.sale("order0001", amount: 10_740, [:])
        let silent = try book.submit(TransactionRequest(scripted, .sale, card: "6259020040003629"), at: merchant.now)
        #expect(silent.fault == "silent_paid")
        let lost = try book.submit(sale(1), at: merchant.now)
        #expect(lost.fault == "lost_request" && lost.queryID == nil)
        let second = try book.submit(sale(1), at: merchant.now)
        #expect(second.fault == "normal" && second.queryID != nil)
        #expect(throws: Refusal(.tooManyQueries)) { try book.query(merchant.query(scripted), at: merchant.now) }
        book.begin(nil)
        _ = try book.query(merchant.query(scripted), at: merchant.now)
        #expect(try book.submit(sale(2), at: merchant.now).fault == "normal")
    }

    @Test("The demo's is one that our acquirer takes, and changes nothing that the acquirer decides")
    func demo() throws {
        _ = try FaultStorm(StormOptions().acquirerStorm)
        for name in StormOptions.faults.keys {
            let fault = try #require(FaultTable.fault(named: name))
            #expect(fault.result == .success && !fault.isHiddenForEver && fault.isInFile)
        }
    }
}
