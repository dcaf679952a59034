import Testing

@testable import SandboxAcquirer

@Suite("Beijing time")
struct BeijingTimeTests {
    @Test(
        "Text and seconds",
        arguments: [
            (0, "19700101080000"), (1_795_244_602, "20261121150322"), (1_709_135_999, "20240228235959"),
            (1_709_136_000, "20240229000000"), (951_753_600, "20000229000000"), (4_102_415_999, "20991231235959"),
        ] as [(Int64, String)])
    func text(_ seconds: Int64, _ text: String) {
        #expect(BeijingTime(seconds: seconds).text == text)
        #expect(BeijingTime(text)?.seconds == seconds)
    }

    @Test(
        "No date", arguments: ["2026112115032", "20261321150322", "20260230000000", "20261121240000", "2026112115032x"])
    func noDate(_ text: String) {
        #expect(BeijingTime(text) == nil)
    }

    @Test(
        "UnionPay's day ends at 23:00",
        arguments: [
            ("20261121225959", "20261121"), ("20261121230000", "20261122"), ("20261231233000", "20270101"),
        ])
    func settlementDay(_ text: String, _ day: String) {
        #expect(BeijingTime(text)?.settlementDay == day)
    }
}
