import EventLog
import Foundation
import NotificationEvents
import Testing

@Suite("Retention: the command")
struct RetentionCommandTests {
    @Test("says what it would do, does it, and says why it does not")
    func run() async throws {
        try await RetentionStore.with(days: 3) { store in
            func retention(_ arguments: String...) async throws -> CommandResult {
                try await NotilogCommand.run(
                    ["retention", "run", "--database-url", store.database.url, "--days", "1"] + arguments
                )
            }
            _ = try await store.log.append([SampleEvents.make(at: RetentionStore.start(of: 1))], app: 1)
            let held = try await retention()
            #expect(held.status == 1)
            #expect(held.output.contains("event_day_00"))
            #expect(held.errors.contains("partition event_day_01 is held by projection"))
            try await store.catchUp()

            let plan = try await retention("--dry-run", "--json")
            #expect(plan.status == 0)
            let steps = try JSONSerialization.jsonObject(with: Data(plan.output.utf8)) as? [[String: Any]]
            #expect(steps?.map { $0["partition"] as? String } == ["event_day_01", "event_day_02"])
            #expect(steps?.allSatisfy { $0["state"] as? String == "would be dropped" } == true)
            #expect(try await store.count("log.event") == 1)

            let done = try await retention()
            #expect(done.status == 0, "\(done.errors)")
            #expect(done.output.contains("dropped, 1 events"))
            #expect(try await store.count("log.event") == 0)
            #expect(try await retention().output.contains("nothing is older than the horizon"))
            #expect(try await NotilogCommand.run(["retention", "run", "--days", "0"]).status != 0)
        }
    }

    @Test("a login that may not is told the role that it needs")
    func rights() async throws {
        try await RetentionStore.with(days: 3) { store in
            try await TestLogin.with(["notilog_reader"], in: store.database) { login in
                let refused = try await NotilogCommand.run(
                    ["retention", "run", "--days", "1", "--database-url", login.database.url]
                )
                #expect(refused.status == 1)
                #expect(
                    refused.errors.contains("use a login that is a member of notilog_projector"),
                    "\(refused.errors)"
                )
            }
        }
    }
}
