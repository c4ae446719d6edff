import Foundation
import HTTPTypes
import Hummingbird
import Ingestion
import Logging
import NIOCore
import NotificationEvents
import Postgres
import Testing

@testable import EventLog
@testable import Exports
@testable import Reports
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
            #expect(problem.forSender.detail == problem.detail + ", with the same ids")
            #expect(problem.forSender.code == problem.code && problem.forSender.status == problem.status)
        }
        #expect(Problem.unknownKey.forSender.detail == Problem.unknownKey.detail)
    }

    @Test func whoseReportTheStandbyCancelledIsToldToAskAgain() {
        let problem = Problem(ReportError(.recoveryConflict, "the standby cancelled the report twice"))
        #expect(problem.status == .serviceUnavailable)
        #expect(problem.code == "recovery_conflict")
        #expect(problem.headers[.retryAfter] != nil)
    }

    /// The client has seen 200, and an answer without its end: the log and the metrics have the status of what broke it off.
    @Test func whatBreaksAnAnswerOffHasItsOwnStatus() {
        let route = Route.reading("/v1/reports/{name}") { _, _, _ in throw CancellationError() }
        let errors: [(any Error, HTTPResponse.Status, String)] = [
            (ReportError(.silentCell, "cell 2 does not answer"), .serviceUnavailable, "cell_unavailable"),
            (ReportError(.recoveryConflict, "the standby cancelled it"), .serviceUnavailable, "recovery_conflict"),
            (ExportError(.unwritableType, "a column is an array"), .internalServerError, "unwritable_type"),
            (failure("53100"), .serviceUnavailable, "database_unavailable"),
            (Problem.keyRevoked, .unauthorized, "unauthorized"),
            (CancellationError(), Problem.abandoned.status, "abandoned"),
        ]
        for (error, status, code) in errors {
            let problem = RouteResponder.problem(ofBody: error, route: route, Logger(label: "test.answer"))
            #expect(problem.status == status && problem.code == code, "\(error)")
        }
    }

    /// RFC 9110, section 8.6: a length that GET's answer does not have must not be said.
    @Test func headSaysTheLengthThatGetSaysOrNone() {
        let whole = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "ok")))
        let known = RouteResponder.head(of: whole)
        #expect(known.headers[.contentLength] == "2" && known.body.contentLength == 0)
        let streamed = Response(status: .ok, headers: [.contentType: "text/csv"], body: ResponseBody { _ in })
        let unknown = RouteResponder.head(of: streamed)
        #expect(unknown.headers[.contentLength] == nil && unknown.body.contentLength == nil)
        #expect(unknown.headers[.contentType] == "text/csv")
    }

    @Test func whatIsThereAlreadyIsAConflict() {
        let problems = [true, false].map { Problem.notAdded("choose another name", isConflict: $0) }
        #expect(problems.map(\.status) == [.conflict, .badRequest])
        #expect(problems.map(\.code) == ["not_added", "invalid_parameter"])
    }

    private func failure(_ sqlState: String) -> PostgresError {
        var error = PostgresError(unexpected: "could not extend file \"base/1/2\"")
        error.code = .server
        error.sqlState = sqlState
        return error
    }

    @Test(
        "what PostgreSQL refuses is said by its class, and nothing of the database",
        arguments: [
            ("25006", "the database is read-only"), ("53100", "the database's disk is full"),
            ("53200", "the database is short of memory or of another resource"),
            ("53300", "the database has no connection left"), ("55P03", "the database is busy"),
            ("40P01", "the database is busy"), ("57P01", "the database does not answer"),
            ("NL409", "the log moves to another database"),
        ]
    )
    func refusals(sqlState: String, sentence: String) throws {
        let problems = [
            try #require(Problem(failure(sqlState))), Problem(AppendError.unavailable(because: failure(sqlState))),
        ]
        for problem in problems {
            #expect(problem.status == .serviceUnavailable && problem.code == "database_unavailable")
            #expect(problem.detail == sentence + ": send the request again later")
            #expect(problem.headers[.retryAfter] != nil)
        }
    }

    /// Whoever sends events keeps them until the right is granted; a report that lacks one is a fault of the service.
    @Test func aMissingRightIsNoReasonToDropEvents() {
        let append = Problem(AppendError.unavailable(because: failure("42501")))
        #expect(append.status == .serviceUnavailable && append.detail.hasPrefix("the database denies"))
        #expect(Problem(failure("42501")).map(\.code) == nil, "it is answered 500")
        #expect(Problem(AppendError.stopped).code == "stopping")
    }

    @Test func aProblemSaysWhenToComeBack() {
        let problem = Problem(.badRequest, "code", "detail").retry(after: 0.2)
        // Drawn from there to twice as much, so that clients come back at different moments.
        #expect(["1", "2"].contains(problem.headers[.retryAfter]))
        #expect(problem.response.status == .badRequest)
    }
}
