import EventLog
import Foundation
import PlainHTTP
import Postgres
import Testing

/// Appends under way, projections at work and erasures meet; none of it brings a device back.
@Suite("Erasure: races")
struct ErasureStormTests {
    private static let devices = (0..<6).map { "storm-device-\($0)" }

    @Test("devices erased in the middle of a storm of their own events are gone, live and rebuilt")
    func storm() async throws {
        // Single writers' queues and small batches: many transactions that begin before, and end after, an erasure.
        try await ServiceFixture.run(["ingest.writers": "4"]) { service in
            try await withThrowingTaskGroup { group in
                for client in 0..<4 {
                    group.addTask { try await Self.send(service, client: client) }
                }
                for device in Self.devices {
                    group.addTask {
                        // Once some of its events are there, and while more come.
                        _ = try await service.eventually(
                            "SELECT least(count(*), 1) FROM log.event WHERE device_id = '\(device)'",
                            is: 1
                        )
                        let client = try await ServiceClient.connect(service.service.url)
                        _ = try await service.erase(device, through: client)
                        await client.connection.close()
                    }
                }
                try await group.waitForAll()
            }
            try #require(try await service.caughtUp())
            #expect(try await StoreSearch.places(of: ["storm-device-", "storm-n"], in: service.database) == [])
            let erased = try await service.number("SELECT count(*) FROM log.event WHERE device_id LIKE 'erased-%'")
            #expect(erased > 12, "there was something to erase, beside what records it")
            // Every event is either stored, of a surrogate, or was refused.
            let counted = try await service.eventually(
                """
                SELECT (SELECT count(*) FROM log.event WHERE kind = 'action_response')
                  + (SELECT coalesce(sum(events), 0)::bigint FROM log.tally WHERE outcome = 'erased')
                """,
                is: Int64(4 * 40 * Self.devices.count)
            )
            #expect(counted)
        }
    }

    private static func send(_ service: ServiceFixture, client number: Int) async throws {
        let client = try await ServiceClient.connect(service.service.url)
        for round in 0..<40 {
            let events = devices.map { Sample.action(device: $0, notification: "storm-n-\(number)-\(round)") }
            let answer = try await client.post("[" + events.joined(separator: ",") + "]", key: service.app.write)
            #expect(answer.status == 200 || answer.status == 422)
        }
        await client.connection.close()
    }

    @Test("an append that began before the erasure, and commits after it was asked for, is erased with the rest")
    func appendUnderWay() async throws {
        try await ServiceFixture.run { service in
            // Once this is stored there is a partition for now.
            _ = try await service.client.post(Sample.action(device: "other"), key: service.app.write)
            let appending = try await service.database.connect()
            try await appending.query("BEGIN")
            try await appending.query(
                """
                SELECT log.append(ARRAY[$1]::integer[], ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], ARRAY['delivery'],
                  ARRAY['under-way'], ARRAY[now()], ARRAY[now()], ARRAY[now()], ARRAY[NULL::timestamptz],
                  ARRAY[NULL::timestamptz], ARRAY[0::smallint], ARRAY[1::smallint], ARRAY[false], ARRAY['under-way-n'],
                  ARRAY[NULL::bytea], ARRAY['{}'::jsonb])
                """,
                [.app(service.app.id)]
            )
            async let report = service.erase("under-way")
            // It is in the ledger, and waits.
            #expect(try await service.eventually("SELECT count(*) FROM log.erasure", is: 1))
            #expect(try await service.number("SELECT count(*) FROM log.erasure_pending") == 1)
            try await appending.query("COMMIT")
            await appending.close()
            #expect(try await report.events == 1)
            #expect(try await StoreSearch.places(of: ["under-way"], in: service.database) == [])
        }
    }

    @Test("a token that an append under way registers as the erasure begins is refused from then on, as the others are")
    func tokenUnderWay() async throws {
        try await ServiceFixture.run { service in
            // Once this is stored there is a partition for now.
            _ = try await service.client.post(Sample.action(device: "other"), key: service.app.write)
            let token = String(repeating: "f3", count: 32)
            let appending = try await service.database.connect()
            try await appending.query("BEGIN")
            try await appending.query(
                """
                SELECT log.append(ARRAY[$1]::integer[], ARRAY[gen_random_uuid()], ARRAY[gen_random_uuid()], ARRAY['token'],
                  ARRAY['under-way'], ARRAY[now()], ARRAY[now()], ARRAY[now()], ARRAY[NULL::timestamptz],
                  ARRAY[NULL::timestamptz], ARRAY[0::smallint], ARRAY[1::smallint], ARRAY[false], ARRAY[NULL::text],
                  ARRAY[sha256(convert_to($2, 'UTF8'))],
                  ARRAY['{"state": "registered", "provider": "apns", "type": "alert", "environment": "production"}'::jsonb])
                """,
                [.app(service.app.id), .text(token)]
            )
            async let report = service.erase("under-way")
            // The device is in the ledger, and its erasure waits.
            #expect(try await service.eventually("SELECT count(*) FROM log.erasure", is: 1))
            try await appending.query("COMMIT")
            await appending.close()
            #expect(try await report.events == 1)
            #expect(try await service.number("SELECT count(*) FROM log.erasure WHERE what = 'token'") == 1)
            let late = #"{"kind":"push_result","token":"\#(token)","status":200,"occurred_at":"\#(Sample.time(5))"}"#
            let answer = try await service.client.post(late, key: service.app.provider)
            #expect(try answer.events.results.map { $0.error?.code } == ["erased"])
            let digest = try #require(
                try await service.text("SELECT encode(sha256(convert_to('\(token)', 'UTF8')), 'hex')")
            )
            #expect(try await StoreSearch.places(of: ["under-way", digest], in: service.database) == [])
        }
    }

    @Test("an erasure that cannot be finished keeps none behind it waiting")
    func oneThatFails() async throws {
        try await TestDatabase.withDatabase { database in
            let connection = try await database.connect()
            try await TestLog.with(database) { test in
                for device in ["a-stuck", "b-next"] {
                    _ = try await test.log.append(SampleEvents.batch(1, device: device), app: 1)
                    try await connection.query("SELECT log.erasure_begin(1, $1)", [.text(device)])
                }
            }
            for statement in [
                "CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not this one''; END'",
                "CREATE TRIGGER fail BEFORE UPDATE ON log.event FOR EACH ROW WHEN (OLD.device_id = 'a-stuck') "
                    + "EXECUTE FUNCTION public.fail()",
            ] {
                try await connection.query(statement, cached: false)
            }
            await #expect(throws: PostgresError.self) { try await Erasure(database.configuration).finishPending() }
            let pending = try await connection.query("SELECT device_id FROM log.erasure_pending")
            #expect(try pending.map { try $0.get(0, as: String.self) } == ["a-stuck"])
            await connection.close()
        }
    }

    @Test("a batch of a projection that read the device before it was erased does not bring it back")
    func batchUnderWay() async throws {
        try await ServiceFixture.run { service in
            let holding = try await service.database.connect()
            // Whatever writes a notification waits here, in the middle of its batch.
            for statement in [
                "CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS "
                    + "$$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN NEW; END $$",
                "CREATE TRIGGER wait BEFORE INSERT ON projection.notification FOR EACH ROW EXECUTE FUNCTION public.wait()",
                "SELECT pg_advisory_lock(4711)",
            ] {
                try await holding.query(statement, cached: false)
            }
            _ = try await service.client.post(Sample.action(device: "in-a-batch"), key: service.app.write)
            let waiting =
                "SELECT count(*) FROM pg_locks WHERE (locktype = 'advisory' OR relation = 'lock.still'::regclass) AND NOT granted "
                + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            #expect(try await service.eventually(waiting, is: 1), "the batch waits")
            let client = try await ServiceClient.connect(service.service.url)
            async let report = service.erase("in-a-batch", through: client)
            #expect(try await service.eventually(waiting, is: 2), "the erasure waits for the batch")
            try await holding.query("SELECT pg_advisory_unlock(4711)")
            _ = try await report
            await client.connection.close()
            await holding.close()
            try #require(try await service.caughtUp())
            #expect(try await service.number("SELECT count(*) FROM projection.notification") == 1)
            #expect(try await StoreSearch.places(of: ["in-a-batch"], in: service.database) == [])
        }
    }

    @Test("a rebuild under way does not bring the device back")
    func rebuildUnderWay() async throws {
        try await ServiceFixture.run { service in
            let events = (0..<300).map { Sample.action(device: "rebuilt-\($0 % 10)", notification: "rebuilt-n-\($0)") }
            let body = "[" + events.joined(separator: ",") + "]"
            #expect(try await service.client.post(body, key: service.app.write).events.accepted == 300)
            try #require(try await service.caughtUp())
            async let rebuilt = NotilogCommand.run(
                ["projections", "rebuild", "notification", "--batch", "3"],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            #expect(
                try await service.eventually(
                    "SELECT count(*) FROM (SELECT FROM projection.version_lane WHERE position > 0) v",
                    is: 1
                ),
                "it is under way"
            )
            for number in 0..<10 { _ = try await service.erase("rebuilt-\(number)") }
            let result = try await rebuilt
            #expect(result.status == 0, "\(result.errors)")
            try #require(try await service.caughtUp())
            #expect(try await StoreSearch.places(of: ["rebuilt-"], in: service.database) == [])
            let verified = try await NotilogCommand.run(
                ["projections", "verify", "notification"],
                environment: ["NOTILOG_DATABASE_URL": service.database.url]
            )
            #expect(verified.status == 0, "\(verified.output)")
        }
    }
}
