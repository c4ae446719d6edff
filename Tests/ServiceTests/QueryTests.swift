import Reports
import Testing

@testable import Service

struct QueryTests {
    @Test func parametersAreDecoded() throws {
        let query = try Query("a=1&b=x%20y+z&c&d=%C3%BC&a=2&e=&f=1%3D2&%67==&&h=ü")
        #expect(query.items.map(\.name) == ["a", "b", "c", "d", "a", "e", "f", "g", "h"])
        #expect(query.items.map(\.value) == ["1", "x y z", "", "ü", "2", "", "1=2", "=", "ü"])
        #expect(query.last("a") == "2")
    }

    @Test(arguments: ["a=%", "a=50%", "a=1&b=%zz", "a=%FF", "a=%C3%28", "%C3=1", "%"])
    func whatIsNotPercentEncodedUTF8IsRefused(_ text: String) {
        let problem = #expect(throws: Problem.self) { try Query(text) }
        #expect(problem?.code == "invalid_parameter")
        #expect(problem?.detail == "the query is not percent-encoded UTF-8")
    }

    @Test func unknownParametersAreRefused() {
        #expect(throws: Problem.self) { try Query("limt=1").expect(only: ["limit"]) }
        #expect(throws: Never.self) { try Query("limit=1").expect(only: ["limit"]) }
    }

    @Test(arguments: ["%", "%4", "%zz", "%FF"])
    func whatIsNotPercentEncodedUTF8IsNil(_ text: String) {
        #expect(percentDecoded(text) == nil)
    }

    @Test func pathsKeepTheirPlus() {
        #expect(percentDecoded("a+b%2Fc") == "a+b/c")
    }

    @Test func theMostWantedTypeComesFirst() {
        let ranges = MediaRange.parse("text/html;q=0.8, application/json;q=0.5, text/csv, */*;q=0, image/png")
        #expect(ranges.map(\.type) == ["text/csv", "image/png", "text/html", "application/json"])
    }

    @Test(arguments: [
        (nil, ReportFormat.json), ("*/*", .json), ("text/csv", .csv), ("text/plain", .table),
        ("application/x-ndjson, application/json;q=0.9", .ndjson), ("text/html, application/*;q=0.1", .json),
    ])
    func formatsAreNegotiated(_ accept: String?, _ format: ReportFormat) throws {
        #expect(try ReportFormat.negotiate(accept) == format)
    }

    @Test func whatCannotBeGivenIs406() {
        #expect(throws: Problem.self) { try ReportFormat.negotiate("image/png, application/json;q=0") }
    }
}
