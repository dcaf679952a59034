import OrchardPostgres
import TestSupport
import Testing

@Suite("A service connects under a role that is bound")
struct ServiceRoleTests {
    private static let migrator = Migrator(
        schema: "bound",
        migrations: [Migration(1, "table", sql: "CREATE TABLE t (a integer)")])

    /// Runs the check as `login`, which `sql` makes; `LOGIN` and `ROLE` stand for names of this test's own.
    private func check(_ sql: String) async throws -> PostgresError? {
        try await TestDatabase.with { database in
            let (login, role) = (database.name + "_login", database.name + "_role")
            let owner = try await PostgresConnection.connect(database.configuration)
            try await Self.migrator.migrate(owner)
            try await owner.script("CREATE ROLE \(role) NOLOGIN; GRANT USAGE ON SCHEMA bound TO \(role)")
            try await owner.script(sql.replacing("LOGIN_ROLE", with: login).replacing("ROLE_NAME", with: role))
            let service = try await PostgresConnection.connect(database.configuration(as: login))
            var found: PostgresError?
            do { try await Self.migrator.checkRole(role, on: service) } catch let error as PostgresError {
                found = error
            }
            await service.close()
            try await owner.script(
                "REASSIGN OWNED BY \(login) TO postgres; DROP OWNED BY \(login), \(role); DROP ROLE \(login), \(role)")
            await owner.close()
            return found
        }
    }

    @Test("A member of the service's role is let in")
    func member() async throws {
        let error = try await check("CREATE ROLE LOGIN_ROLE LOGIN IN ROLE ROLE_NAME")
        #expect(error == nil)
    }

    @Test(
        "Others are refused, with what to do",
        arguments: [
            ("CREATE ROLE LOGIN_ROLE LOGIN SUPERUSER IN ROLE ROLE_NAME", "a superuser"),
            (
                "CREATE ROLE LOGIN_ROLE LOGIN IN ROLE ROLE_NAME; ALTER SCHEMA bound OWNER TO LOGIN_ROLE",
                "who owns schema bound"
            ),
            (
                "CREATE ROLE LOGIN_ROLE LOGIN IN ROLE ROLE_NAME; ALTER TABLE bound.t OWNER TO LOGIN_ROLE",
                "who owns schema bound"
            ),
            ("CREATE ROLE LOGIN_ROLE LOGIN", "who is no member of"),
        ])
    func refused(_ sql: String, _ text: String) async throws {
        let error = try await check(sql)
        #expect(error?.reason.contains(text) == true, "\(error.map(\.reason) ?? "no error")")
        #expect(error?.reason.contains("CREATE ROLE … LOGIN IN ROLE") == true)
    }
}
