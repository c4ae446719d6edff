import Decoding
import EventLog
import Exports
import Foundation
import Logging
import NotificationEvents
import Postgres
import Projections
import Schema
import Testing

/// A warehouse that takes in every file by the README's one MERGE has the live tables, whatever happens: events late, again
/// and out of order, runs that die anywhere, files loaded twice, devices erased, projections rebuilt.
struct ExportLawTests {
    private struct Death: Error {}

    /// How many histories; NOTILOG_EXPORT_HISTORIES says otherwise.
    private static let histories =
        ProcessInfo.processInfo.environment["NOTILOG_EXPORT_HISTORIES"].flatMap(UInt64.init) ?? 1

    @Test(.timeLimit(.minutes(10)), arguments: 0..<histories)
    func aWarehouseHasTheLiveTables(_ history: UInt64) async throws {
        let seed = history == 0 ? UInt64.random(in: 1..<1_000_000_000) : history
        try await LawStore.withStore { store in
            let pool = Pool(store.database.configuration, limit: 4)
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("notilog-export-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try await store.connection.query("INSERT INTO notilog.app (name) VALUES ('demo')")
                var history = History(
                    store: store,
                    pool: pool,
                    folder: folder,
                    warehouse: try await Warehouse(store.database, store.connection),
                    random: LawRandom(seed: seed)
                )
                for _ in 0..<4 { try await history.step() }
                try await history.settle()
                for dataset in Warehouse.datasets {
                    let differences = try await history.warehouse.differences(dataset)
                    #expect(differences.isEmpty, "\(dataset), seed \(seed)\n\(differences)")
                    #expect(try await history.sharedChanges(dataset) == 0, "\(dataset), seed \(seed)")
                }
                #expect(history.died > 0 && history.rebuilt > 0 && history.erased > 0, "seed \(seed)")
            } catch {
                await pool.shutDown()
                throw error
            }
            await pool.shutDown()
        }
    }

    private struct History {
        let store: LawStore
        let pool: Pool
        let folder: URL
        let warehouse: Warehouse
        var random: LawRandom
        var number = 0
        var loaded: [String: Int] = [:]
        var died = 0
        var rebuilt = 0
        var erased = 0

        /// Something comes, something happens, and somebody exports.
        mutating func step() async throws {
            number += 1
            let events = try arrivals()
            let halves = [Array(events[..<(events.count / 2)]), Array(events[(events.count / 2)...])]
            for (half, batch) in halves.enumerated() {
                try await store.append([(app: 1, events: batch)], mayBeErased: true)
                // The same again, as of a client that had no answer.
                if random.chance(30) { try await store.append([(app: 1, events: batch)], mayBeErased: true) }
                try await store.connection.query("CALL log.settle(NULL)")
                if random.chance(80) { try await store.apply(limit: random.one(of: [7, 100_000])) }
                try await export(mayDie: true)
                if half == 0 { try await happen() }
            }
        }

        /// Events of any kind about a few devices, most of them the same ones as before, in any order.
        private mutating func arrivals() throws -> [NormalisedEvent] {
            let decoder = EventDecoder()
            var all: [NormalisedEvent] = []
            for focus in RandomEvents.Focus.allCases.shuffled(using: &random).prefix(4) {
                for event in try LawCase(seed: random.next(), focus: focus, decoder: decoder).events {
                    var stored = event.stored
                    if !stored.deviceID.isEmpty {
                        stored.deviceID += "-\((number + Int.random(in: 0...1, using: &random)) / 3)"
                    }
                    all.append(stored)
                }
            }
            return all.shuffled(using: &random)
        }

        private mutating func happen() async throws {
            if number % 2 == 0 {
                let devices = try await store.connection.query(
                    "SELECT DISTINCT device_id FROM log.event WHERE device_id <> '' AND NOT log.is_surrogate(device_id) ORDER BY 1"
                ).map { try $0.get(0, as: String.self) }
                guard !devices.isEmpty else { return }
                _ = try await Erasure(store.database.configuration).erase(random.one(of: devices), app: 1)
                erased += 1
            } else {
                let group = random.one(
                    of: store.catalogue.groups.filter { ["notification", "device_token"].contains($0.leader) }
                )
                try await store.apply(limit: 100_000)
                let rebuild = ProjectionRebuild(
                    store.database.configuration,
                    files: try ProjectionFiles(group, in: try ReleaseFolder.locate()),
                    lanes: group.lanes == nil ? nil : random.one(of: [1, 2, 4]),
                    logger: Logger(label: "exports.rebuild")
                )
                _ = try await rebuild.run { _ in }
                rebuilt += 1
            }
        }

        /// Rows that were given the change number of another, so that a reader may stop between the two.
        func sharedChanges(_ dataset: String) async throws -> Int64 {
            guard dataset != "events" else { return 0 }
            return try await store.connection.value(
                "SELECT count(*) - count(DISTINCT change) FROM export.\(dataset)_row"
            )
        }

        /// One run of every dataset, which may die, and whatever is whole is loaded.
        mutating func export(mayDie: Bool) async throws {
            for dataset in Warehouse.datasets.shuffled(using: &random) {
                var run = ExportRun(
                    ExportRequest(
                        dataset: dataset,
                        cursor: dataset,
                        appID: 1,
                        app: "demo",
                        folder: folder.appendingPathComponent(dataset).path,
                        format: random.chance(50) ? .csv : .ndjson,
                        gzip: random.chance(20)
                    ),
                    pool: pool
                )
                if mayDie, random.chance(40) {
                    let last = random.one(of: ExportStep.allCases)
                    run.onStep = { if $0 == last { throw Death() } }
                }
                do {
                    _ = try await run.run()
                } catch is Death {
                    died += 1
                }
                try await load(dataset)
            }
        }

        private mutating func load(_ dataset: String) async throws {
            let exported = ExportedFolder(url: folder.appendingPathComponent(dataset))
            let manifests = try exported.manifests
            for manifest in manifests.dropFirst(loaded[dataset] ?? 0) {
                // Twice where the loader died between load and commit.
                for _ in 0..<(random.chance(30) ? 2 : 1) {
                    try await warehouse.load(exported.url.appendingPathComponent(manifest.file), dataset)
                }
            }
            loaded[dataset] = manifests.count
        }

        /// Everything arrives everywhere: a run that had died, and one more.
        mutating func settle() async throws {
            try await store.connection.query("CALL log.settle(NULL)")
            try await store.apply(limit: 100_000)
            for _ in 0..<2 { try await export(mayDie: false) }
        }
    }
}
