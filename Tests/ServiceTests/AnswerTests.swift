import EventLog
import Foundation
import HTTPTypes
import Hummingbird
import Ingestion
import NotificationEvents
import Testing

@testable import Service

struct AnswerTests {
    private let id = EventID(high: 1, low: 2)

    private func made(_ outcomes: [ItemOutcome]) -> EventsAnswer {
        EventsAnswer(outcomes.enumerated().map { IngestionOutcome(outcome: $1, index: $0) })
    }

    private func rejected(_ pointer: String) -> ItemOutcome {
        .rejected(nil, EventError(code: .invalidValue, pointer: pointer, message: "no"))
    }

    @Test func theStatusTellsWhetherAnythingIsStored() {
        #expect(made([.accepted(id, position: 5, warnings: [])]).status == .ok)
        #expect(made([.duplicate(id, position: 5, warnings: []), rejected("/1")]).status == .ok)
        #expect(made([rejected("/0"), rejected("/1")]).status == .unprocessableContent)
        #expect(made([]).status == .ok)
    }

    @Test func thePositionIsTheHighestWritten() {
        let answer = made([
            .accepted(id, position: 5, warnings: []), .accepted(id, position: 3, warnings: []),
            .duplicate(id, position: 9, warnings: []),
        ])
        #expect(answer.position == 5)
        #expect(made([.duplicate(id, position: 9, warnings: [])]).position == nil)
    }

    /// A report has no ids.
    @Test func whoSentEventsIsToldToKeepTheirIDs() {
        for problem in [Problem.databaseAway, .stopping] {
            #expect(!problem.detail.contains("ids"))
            #expect(problem.toldToSender.detail == problem.detail + ", with the same ids")
            #expect(problem.toldToSender.code == problem.code && problem.toldToSender.status == problem.status)
        }
        #expect(Problem.unknownKey.toldToSender.detail == Problem.unknownKey.detail)
    }

    @Test func aProblemSaysWhenToComeBack() {
        let problem = Problem(.badRequest, "code", "detail").retry(after: 0.2)
        // Drawn from there to twice as much, so that clients come back at different moments.
        #expect(["1", "2"].contains(problem.headers[.retryAfter]))
        #expect(problem.response.status == .badRequest)
    }
}
