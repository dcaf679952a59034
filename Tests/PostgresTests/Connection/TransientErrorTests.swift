import OrchardPostgres
import Testing

@Suite("Errors that time heals")
struct TransientErrorTests {
    @Test(
        "are told from those that a person must mend",
        arguments: [
            ("25006", true), ("0A000", true), ("26000", true), ("40001", true), ("55P03", true), ("57P01", true),
            ("42501", false), ("42P01", false), ("23505", false), ("22P02", false),
        ])
    func states(_ state: String, _ isTransient: Bool) {
        #expect(PostgresError(.server, "refused", sqlState: state).isTransient == isTransient)
    }
}
