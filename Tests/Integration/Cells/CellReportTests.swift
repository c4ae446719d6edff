import Decoding
import EventLog
import Foundation
import NotificationEvents
import Postgres
import Reports
import Schema
import Testing

/// A report over the cells of a cluster is that of one database with all events: counts add up, and what crosses cells is copied.
@Suite("Cells: reports")
struct CellReportTests {
    private static let casesOfEachFocus = 2
    static let questions = 3

    @Test("every report over three cells is that of one database", arguments: RandomEvents.Focus.allCases)
    func reports(focus: RandomEvents.Focus) async throws {
        let cases = try Self.cases(focus)
        try await TestDatabase.withDatabases(4) { databases in
            try await LawStore.withStore(on: databases[0]) { store in
                try await store.connection.nameOwnDimensions(apps: cases.count)
                try await store.append(Self.batches(cases))
                try await store.apply(limit: 500)
            }
            try await CellStore.withStore(on: Array(databases[1...]), apps: cases.count) { store in
                // In parts, so that a token is told of before and after another cell has it.
                for part in 0..<3 {
                    try await store.append(Self.batches(cases, part: part, of: 3))
                    try await store.apply(limit: 500)
                }
                let last = cases.flatMap(\.events).map(\.stored.effectiveAt).max() ?? SampleEvents.noon
                try await ask(cases.count, databases[0], store.coordinator, after: last)
            }
        }
    }

    @Test("every report of fifty people's month over three cells is that of one database")
    func month() async throws {
        try await TestDatabase.withDatabases(4) { databases in
            let app = AppID(rawValue: 1)
            try await LawStore.withStore(on: databases[0]) { store in
                try await store.connection.nameOwnDimensions(apps: 1)
                try await LawStore.simulated(devices: 50, days: 30) { try await store.append([(app, $0)]) }
                try await store.apply(limit: 10_000)
            }
            try await CellStore.withStore(on: Array(databases[1...]), apps: 1) { store in
                try await LawStore.simulated(devices: 50, days: 30) { try await store.append([(app, $0)]) }
                try await store.apply(limit: 10_000)
                try await ask(1, databases[0], store.coordinator, after: LawStore.simulationEnd, questions: 0)
            }
        }
    }

    private static func cases(_ focus: RandomEvents.Focus) throws -> [LawCase] {
        let number = UInt64(RandomEvents.Focus.allCases.firstIndex(of: focus) ?? 0)
        return try (0..<casesOfEachFocus).map { index in
            try LawCase(seed: 4_711 + number * 100 + UInt64(index), focus: focus, decoder: EventDecoder())
        }
    }

    /// Every case is an app.
    private static func batches(
        _ cases: [LawCase],
        part: Int = 0,
        of parts: Int = 1
    ) -> [(app: AppID, events: [NormalisedEvent])] {
        cases.enumerated().map { index, one in
            let events = one.events.enumerated().filter { $0.offset % parts == part }.map(\.element.stored)
            return (AppID(rawValue: Int32(index + 1)), events)
        }
    }

    /// Asks every report what it is asked by default, an hour after the last event, and so many questions at random.
    func ask(
        _ apps: Int,
        _ whole: TestDatabase,
        _ coordinator: TestDatabase,
        after last: Timestamp,
        questions: Int = CellReportTests.questions,
        cells: Int = 3
    ) async throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        let pools = [whole, coordinator].map { Pool($0.configuration, limit: 1) }
        let runners = pools.map { ReportRunner(catalogue: catalogue, pool: $0) }
        var random = LawRandom(seed: 99)
        var rows = 0
        for definition in catalogue.reports {
            for app in 1...apps {
                for number in 0...questions {
                    let question = ModelQuestion.random(definition, &random)
                    let (pairs, asOf) =
                        number == 0
                        ? ([], Timestamp(microseconds: last.microseconds + 3_600_000_000))
                        : (question.pairs(for: definition), Timestamp(microseconds: question.asOf))
                    let parameters = try ReportParameters(pairs, for: definition)
                    var answers: [ReportResult] = []
                    for runner in runners {
                        answers.append(try await runner.run(parameters, app: "app\(app)", asOf: asOf))
                    }
                    #expect(answers[0].rows == answers[1].rows, "app\(app): \(question)")
                    #expect(answers[0].rowsTotal == answers[1].rowsTotal, "app\(app): \(question)")
                    #expect(answers[1].asOf.positions.count == cells)
                    rows += answers[0].rows.count
                }
            }
        }
        #expect(rows > 50)
        for pool in pools { await pool.shutDown() }
    }
}
