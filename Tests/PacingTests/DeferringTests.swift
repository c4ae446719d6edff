import Pacing
import Testing

@Suite("Work and its end")
struct DeferringTests {
    private struct Failure: Error, Equatable {
        var of: String
    }

    @Test("the end comes after the work, whether or not that failed")
    func ends() async throws {
        var steps: [String] = []
        let value = try await deferring({ steps.append("end") }) {
            steps.append("work")
            return 1
        }
        #expect(value == 1 && steps == ["work", "end"])
        await #expect(throws: Failure(of: "work")) {
            try await deferring({ steps.append("another end") }) { throw Failure(of: "work") }
        }
        #expect(steps.last == "another end")
    }

    @Test("an end that fails is what is said, unless the work failed before: that is the cause")
    func failures() async {
        await #expect(throws: Failure(of: "end")) {
            try await deferring({ throw Failure(of: "end") }) {}
        }
        await #expect(throws: Failure(of: "work")) {
            try await deferring({ throw Failure(of: "end") }) { throw Failure(of: "work") }
        }
    }
}
