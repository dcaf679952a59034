import SandboxProcesses
import TestSupport
import Testing

@testable import SandboxAcquirer

@Suite("Fault table")
struct FaultTableTests {
    @Test("Names are unique and lead back to their fault")
    func names() {
        let names = FaultTable.byNumber.values.map(\.name)
        #expect(Set(names).count == names.count)
        for fault in FaultTable.byNumber.values { #expect(FaultTable.fault(named: fault.name) == fault) }
        #expect(FaultTable.fault(named: "no such fault") == nil)
    }

    @Test("An ordinary amount meets no fault", arguments: [1, 10_000, 12_345, 699])
    func ordinary(_ amount: Int64) {
        #expect(FaultTable.fault(forAmount: amount) == .none)
    }

    /// Numbers, names, codes and whether money moves, against the independent acquirer's table.
    @Test("The table agrees with the independent acquirer", .enabled(if: Oracles.arePresent, "\(Oracles.absence)"))
    func oracle() async throws {
        let program = """
            import sys; sys.path.insert(0, sys.argv[1])
            import unionpay_acquirer as sim
            for number, f in sorted(sim.FAULTS.items()):
                print(number, f.name, f.sync, f.final, int(f.book), int(f.forever), int(f.in_file), *f.shown)
            """
        let result = try await Oracles.run(["-c", program, Oracles.folder])
        let ours = FaultTable.byNumber.sorted { $0.key < $1.key }.map { number, fault in
            let parts = [
                "\(number)", fault.name, fault.answer.text, fault.result.text, fault.isBooked ? "1" : "0",
                fault.isHiddenForEver ? "1" : "0", fault.isInFile ? "1" : "0",
            ]
            return (parts + fault.shown.map(\.text)).joined(separator: " ")
        }
        #expect(result.output.split(separator: "\n").map(String.init) == ours)
    }
}
