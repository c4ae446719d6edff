import Foundation
import Postgres
import Projections
import Testing

/// Holders of lanes that end, or stand still: an event that ends each of them is found, and one that was frozen writes nothing
/// when it goes on.
@Suite("Projections: holders of lanes", .serialized)
struct ProjectionHolderTests {
    @Test("an event that ends the process which applies it is set aside after some processes", .timeLimit(.minutes(20)))
    func trap() async throws {
        try await ProjectionFixture.with { fixture in
            _ = try await fixture.rebuild("notification", lanes: 2).run { _ in }
            let last = try await fixture.fill(400)
            let trap: Int64 = try await fixture.connection.value(
                "SELECT position FROM log.event WHERE kind = 'action_response' ORDER BY position OFFSET 40 LIMIT 1"
            )
            var ended = 0
            while try await fixture.count("projection.set_aside") == 0 {
                let service = NotilogCommand.process(
                    ["serve", "--port", "0", "--log-level", "critical"],
                    environment: [
                        "NOTILOG_DATABASE_URL": fixture.database.url, "NOTILOG_TEST_TRAP": String(trap),
                        // A backtrace of the process takes minutes where the machine is busy, and the process ends after it.
                        "SWIFT_BACKTRACE": "enable=no",
                    ]
                )
                service.standardOutput = FileHandle.nullDevice
                service.standardError = FileHandle.nullDevice
                try service.begin()
                defer { if service.isRunning { kill(service.processIdentifier, SIGKILL) } }
                // How long one event after the other takes depends on the machine: what counts is that they are applied.
                var isDone = false
                while !isDone {
                    let before = try await fixture.checkpoints.position()
                    try await eventually("it ends, the event is set aside, or it goes on", within: .seconds(120)) {
                        let setAside = try await fixture.count("projection.set_aside")
                        isDone = !service.isRunning || setAside > 0
                        let position = try await fixture.checkpoints.position()
                        return isDone || position > before
                    }
                }
                if !service.isRunning { ended += 1 }
                try #require(ended < 8)
            }
            #expect(ended >= 2, "nothing ended a process")
            #expect(
                try await fixture.count("projection.set_aside WHERE position = \(trap) AND sqlstate = 'XX000'") == 1
            )
            // Without the trap it is applied, and nothing else was set aside.
            try await fixture.runner().catchUp()
            #expect(try await fixture.status().position >= last)
            let retried = try await fixture.checkpoints.retry(projection: "notification")
            #expect(retried.applied == 1 && retried.failed.isEmpty)
            try await fixture.expectVerified()
        }
    }

    @Test(
        "one that is frozen in a batch writes nothing when it goes on after another took over",
        .timeLimit(.minutes(10))
    )
    func frozen() async throws {
        try await ProjectionFixture.with { fixture in
            _ = try await fixture.rebuild("notification", lanes: 2).run { _ in }
            try await fixture.fill(6_000)
            let frozen = try await ServiceProcess.start(database: fixture.database.url)
            // Until it holds a lane as it stands still.
            var holds = false
            for _ in 0..<200 where !holds {
                frozen.signal(SIGSTOP)
                holds = try await fixture.isHeld()
                if !holds { frozen.signal(SIGCONT) }
                if !holds { try await fixture.fill(300) }
            }
            try #require(holds)
            let other = try await ServiceProcess.start(database: fixture.database.url)
            let last = try await fixture.fill(300)
            try await fixture.reaches(last, "another has taken over")
            #expect(await other.stop() == 0)
            frozen.signal(SIGCONT)
            // It finds its transaction gone, and begins again from the checkpoint.
            let end = try await fixture.fill(300)
            try await fixture.reaches(end, "it goes on")
            #expect(await frozen.stop() == 0)
            #expect(try await fixture.count("projection.set_aside") == 0)
            try await fixture.expectVerified()
            try await fixture.expectSameAsOneLane()
        }
    }
}

extension ProjectionFixture {
    /// Whether a session holds a lane of `notification`, and waits for its process.
    fileprivate func isHeld() async throws -> Bool {
        try await count(
            """
            pg_stat_activity a JOIN pg_locks l USING (pid)
            WHERE a.datname = current_database() AND a.application_name = 'notilog projections'
              AND a.state = 'idle in transaction' AND l.relation = 'projection.notification'::regclass
            """
        ) > 0
    }
}
