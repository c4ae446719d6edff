import Foundation
import PlainHTTP
import Postgres
import Testing

@testable import EventLog

/// An erasure that takes long is answered, and goes on.
@Suite("Erasure: what is pending")
struct PendingErasureTests {
    @Test("an erasure that does not end within 15 s is answered 202 and done later", .timeLimit(.minutes(3)))
    func answeredBefore() async throws {
        try await ServiceFixture.run { service in
            _ = try await service.client.post(Sample.action(device: "d"), key: service.app.write)
            let blocker = try await service.database.connect()
            try await blocker.query("BEGIN")
            // As a long batch does.
            try await blocker.query("SELECT lock.shared('background')")
            let answer = try await within(.seconds(30), "the answer") {
                try await service.send("DELETE", "/v1/devices/d", key: service.app.admin)
            }
            #expect(answer.status == 202)
            #expect(answer.text == #"{"state":"pending"}"#)
            #expect(try await service.number("SELECT count(*) FROM log.erasure_pending") == 1)
            try await blocker.query("ROLLBACK")
            await blocker.close()
            #expect(
                try await service.eventually("SELECT count(*) FROM log.erasure_pending", is: 0, within: .seconds(60))
            )
            #expect(try await service.number("SELECT count(*) FROM log.event WHERE device_id = 'd'") == 0)
        }
    }

    @Test(
        "what was noted alone is erased, and an app whose erasure is held keeps no other's waiting",
        .timeLimit(.minutes(2))
    )
    func noted() async throws {
        try await TestDatabase.withDatabase { database in
            let (one, other) = (
                try await TestApp.make("first", in: database), try await TestApp.make("second", in: database)
            )
            let connection = try await database.connect()
            try await connection.query("SELECT log.ensure_partitions(now(), now())")
            let erasure = Erasure(database.configuration)
            for number in 0..<3 { try await erasure.note("d\(number)", app: one.id) }
            try await erasure.note("e", app: other.id)
            // The first app's export numbers changes: its erasures wait for that.
            try await connection.query(
                "INSERT INTO export.feed (app_id, dataset) SELECT $1, name FROM export.dataset WHERE keys <> '{}'",
                [.app(one.id)]
            )
            let blocker = try await database.connect()
            try await blocker.query("BEGIN")
            try await blocker.query("SELECT FROM export.feed WHERE app_id = $1 FOR UPDATE", [.app(one.id)])
            let finishing = Task { try await erasure.finishPending() }
            try await eventually("the other app's erasure", within: .seconds(30)) {
                try await connection.value(
                    "SELECT count(*) FROM log.erasure_pending WHERE app_id = $1",
                    [.app(other.id)]
                ) as Int64 == 0
            }
            let left: Int64 = try await connection.value("SELECT count(*) FROM log.erasure_pending")
            #expect(left == 3)
            try await blocker.query("ROLLBACK")
            await blocker.close()
            _ = await finishing.result
            try await erasure.finishPending()
            let end: Int64 = try await connection.value("SELECT count(*) FROM log.erasure_pending")
            #expect(end == 0)
            await connection.close()
        }
    }

    @Test(
        "who asks for an erasure is told of its events, whoever finishes it; who asks once it is done is told of none",
        .timeLimit(.minutes(2))
    )
    func finishedByAnother() async throws {
        try await TestDatabase.withDatabase { database in
            let owner = try await database.connect()
            try await owner.query("INSERT INTO notilog.app (name) VALUES ('first')")
            try await TestLog.with(database) { test in
                _ = try await test.log.append(SampleEvents.batch(3, device: "d"), app: 1)
            }
            let erasure = Erasure(database.configuration)
            let report = try await erasure.erase("d", app: 1) {
                let finished = try await erasure.finishPending()
                #expect(finished == 1)
            }
            #expect(report.events == 3)
            let again = try await erasure.erase("d", app: 1)
            #expect(again.events == 0 && again.position == report.position)
            let recorded: Int64 = try await owner.value("SELECT count(*) FROM log.event WHERE kind = 'erasure'")
            #expect(recorded == 1)
            await owner.close()
        }
    }
}
