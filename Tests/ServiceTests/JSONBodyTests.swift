import Foundation
import HTTPTypes
import Testing

@testable import Service

struct JSONBodyTests {
    private struct Wanted: RequestBody, Equatable {
        var view: String
        var weekday: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case view, weekday
        }
    }

    private func decode(_ text: String) throws(Problem) -> Wanted {
        try JSONBody.decode(Data(text.utf8), accepts: "an object")
    }

    @Test func whatIsKnownIsRead() throws {
        #expect(try decode(#"{"view":"news","weekday":null}"#) == Wanted(view: "news"))
    }

    /// Otherwise it would silently have its default.
    @Test(arguments: [
        (
            #"{"view":"news","weekdy":"friday"}"#,
            "the member weekdy of the body is not known: did you mean weekday? accepted are view, weekday"
        ),
        (
            #"{"veiw":"news"}"#,
            "the member veiw of the body is not known: did you mean view? accepted are view, weekday"
        ),
        (#"{"view":"news","to":[]}"#, "the member to of the body is not known; accepted are view, weekday"),
        // A value that was put in the wrong place is not told.
        (
            #"{"view":"news","00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0":{}}"#,
            "a member of the body is not known; accepted are view, weekday"
        ),
    ])
    func whatIsNotKnownIsRefused(_ body: String, _ detail: String) {
        let problem = #expect(throws: Problem.self) { try decode(body) }
        #expect(problem?.status == .badRequest && problem?.code == "invalid_parameter")
        #expect(problem?.detail == detail)
        #expect(problem?.accepted == ["view", "weekday"])
    }

    @Test(arguments: [
        ("{}", "view is missing: the body is an object"),
        (#"{"view":7}"#, "view has a value of another type: the body is an object"),
        (#"{"view":null}"#, "view has a value of another type: the body is an object"),
        ("[]", "the body is an object"),
        (#"{"view":"#, "the body is an object"),
    ])
    func whatCannotBeReadIsSaid(_ body: String, _ detail: String) {
        let problem = #expect(throws: Problem.self) { try decode(body) }
        #expect(problem?.status == .badRequest && problem?.code == "invalid_json")
        #expect(problem?.detail == detail)
    }
}
