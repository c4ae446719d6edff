import Logging
import Postgres
import PrivatePostgres
import Testing

/// What `notilog doctor` says of PostgreSQL: its settings, and sessions in each other's way.
@Suite("Doctor: the server")
struct DoctorServerTests {
    @Test("a session that others wait for is named, with how long they have waited")
    func locks() async throws {
        try await TestDatabase.withDatabase { database in
            let holder = try await database.connect()
            try await holder.query("BEGIN")
            try await holder.query("LOCK TABLE projection.notification IN ACCESS EXCLUSIVE MODE")
            let holderID: Int32 = try await holder.value("SELECT pg_backend_pid()")
            let waiting = Task {
                let waiter = try await database.connect()
                try await waiter.query("SELECT count(*) FROM projection.notification")
                await waiter.close()
            }
            let watcher = try await database.connect()
            try await eventually("a session that waits for six seconds") {
                try await watcher.value(
                    """
                    SELECT count(*) > 0 FROM pg_locks JOIN pg_stat_activity USING (pid)
                    WHERE datname = current_database() AND waitstart < clock_timestamp() - interval '6 seconds'
                    """
                )
            }
            let report = try await DoctorReport.run(database.url)
            report.expect("warn", "locks", "session \(holderID)", advice: "pg_terminate_backend(\(holderID))")
            try await holder.query("ROLLBACK")
            try await waiting.value
            try await DoctorReport.run(database.url).expect("ok", "locks", "nobody waits")
            await holder.close()
            await watcher.close()
        }
    }

    @Test("a locked table is named with who has locked it, and what needs no table is checked all the same")
    func lockedTables() async throws {
        try await TestDatabase.withDatabase { database in
            for (table, check) in [("log.event", "log"), ("projection.checkpoint", "projections")] {
                let holder = try await Connection.connect(
                    database.configuration.with(settings: [:], applicationName: "nightly job")
                )
                try await holder.query("BEGIN")
                try await holder.query("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE", cached: false)
                let process = try await holder.processID
                let report = try await DoctorReport.run(database.url)
                report.expect(
                    "fail",
                    check,
                    "session \(process) (postgres, nightly job) keeps \(table) locked",
                    advice: "pg_terminate_backend(\(process))"
                )
                #expect(report.verdict("slots") == "ok", "\(report.findings)")
                // How many connections an instance needs is counted in a table.
                if table == "projection.checkpoint" {
                    report.expect("fail", "connections", "could not be checked")
                }
                try await holder.query("ROLLBACK")
                await holder.close()
            }
        }
    }

    @Test("of several locked tables the one that a check waits for is named")
    func severalLockedTables() async throws {
        try await TestDatabase.withDatabase { database in
            var holders: [Connection] = []
            // No check reads the first one, whose transaction is the older one.
            for table in ["projection.category", "log.event"] {
                let holder = try await database.connect()
                try await holder.query("BEGIN")
                try await holder.query("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE", cached: false)
                holders.append(holder)
            }
            let process = try await holders[1].processID
            try await DoctorReport.run(database.url).expect(
                "fail",
                "log",
                "session \(process) (postgres, ",
                advice: "all that reads log.event waits"
            )
            for holder in holders { await holder.close() }
        }
    }

    @Test("a table is named as well where the lock is only waited for, with the session that is in the way")
    func queuedLock() async throws {
        try await TestDatabase.withDatabase { database in
            let reader = try await database.connect()
            try await reader.query("BEGIN")
            try await reader.query("SELECT count(*) FROM log.event", cached: false)
            let process = try await reader.processID
            let waiting = Task {
                let waiter = try await database.connect()
                try await waiter.query("BEGIN")
                try await waiter.query("LOCK TABLE log.event IN ACCESS EXCLUSIVE MODE", cached: false)
                await waiter.close()
            }
            let watcher = try await database.connect()
            try await eventually("a session that waits") { try await !watcher.waiting(for: "log.event").isEmpty }
            try await DoctorReport.run(database.url).expect(
                "fail",
                "log",
                "session \(process) (postgres, ",
                advice: "pg_terminate_backend(\(process))"
            )
            try await reader.query("ROLLBACK")
            try await waiting.value
            await reader.close()
            await watcher.close()
        }
    }

    @Test("a full disk is an error", .enabled(if: DataDisk.isAllowed), .timeLimit(.minutes(15)))
    func fullDisk() async throws {
        guard let disk = try await DataDisk.make(megabytes: 400) else { return }
        let settings = ["shared_buffers": "64MB", "min_wal_size": "32MB", "max_wal_size": "96MB"]
        do {
            let server = try await PrivatePostgres.start(
                .init(folder: "\(disk.path)/server", settings: settings),
                logger: Logger(label: "test.postgres")
            )
            let database = TestDatabase(url: server.url())
            try await DoctorReport.run(database.url).expect("warn", "disk", "MB are free", advice: "free some space")
            disk.fill()
            try await DoctorReport.run(database.url)
                .expect("fail", "disk", ", 0 MB are free", advice: "free some space now")
            disk.clear()
            try await server.stop(.immediate)
        } catch {
            await disk.remove()
            throw error
        }
        await disk.remove()
    }

    @Test("settings of the server", .timeLimit(.minutes(15)))
    func serverSettings() async throws {
        let server = try await PrivatePostgres.start(
            .init(settings: [
                "fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "autovacuum": "off",
                "track_counts": "off", "max_connections": "40", "max_prepared_transactions": "2", "max_wal_size": "1GB",
                "synchronous_standby_names": "ghost", "log_error_verbosity": "verbose",
            ]),
            logger: Logger(label: "test.postgres")
        )
        let database = TestDatabase(url: server.url())
        let environment = ["NOTILOG_DATABASE_URL": database.url]
        #expect(try await NotilogCommand.run(["migrate"], environment: environment).status == 0)
        let owner = try await database.connect()
        try await owner.query("SELECT pg_create_physical_replication_slot('forgotten', true)")
        try await owner.query("BEGIN")
        try await owner.query("UPDATE log.state SET epoch = epoch")
        try await owner.query("PREPARE TRANSACTION 'left'", cached: false)
        let report = try await DoctorReport.run(database.url, environment: ["NOTILOG_DOCTOR_IDLE_SECONDS": "0"])
        report.expect("fail", "fsync", "off", advice: "loses the log")
        report.expect("fail", "full_page_writes", "off", advice: "loses the log")
        report.expect("warn", "commits", "synchronous_commit is off", advice: "set it to on")
        report.expect("warn", "autovacuum", "off", advice: "bloat")
        report.expect("warn", "track_counts", "off", advice: "autovacuum")
        report.expect("warn", "wal", "max_wal_size is 1024", advice: "4GB")
        report.expect("warn", "server_log", "log_error_verbosity is verbose", advice: "terse")
        report.expect("warn", "connections", "of 37 in use", advice: "connections for two")
        report.expect("fail", "idle_transactions", "1 prepared transactions are left", advice: "ROLLBACK PREPARED")
        report.expect("warn", "slots", "forgotten is not in use", advice: "pg_drop_replication_slot('forgotten')")
        report.expect("fail", "standby", "no synchronous standby is connected", advice: "synchronous_standby_names")
        await owner.close()
        try await server.stop(.immediate)
    }
}
