import Pacing
import Testing

struct RoundsTests {
    @Test func whatIsDueIsDoneUntilNothingIs() async throws {
        var due = [[1, 2], [3]]
        var done: [Int] = []
        let count = try await Rounds.work {
            due.isEmpty ? [] : due.removeFirst()
        } _: { claimed in
            done += claimed
            return claimed.count
        }
        #expect(count == 3 && done == [1, 2, 3])
    }

    @Test func ofEachThingItCountsWhetherAnythingCameOfIt() async throws {
        var due = [[1, 2], [3]]
        var done: [Int] = []
        let count = try await Rounds.each {
            due.isEmpty ? [] : due.removeFirst()
        } _: { item in
            done.append(item)
            return item != 2
        }
        #expect(count == 2 && done == [1, 2, 3])
    }

    @Test func whatNeverEndsIsLeftToTheNextTurn() async throws {
        let count = try await Rounds.work {
            [1]
        } _: { claimed in
            claimed.count
        }
        #expect(count == 100)
    }

    @Test func whatFailsEndsTheTurnOfOneAfterTheOtherOnceTheOthersAreDone() async throws {
        struct Failure: Error, Equatable { var item: Int }
        var due = [[1, 2, 3, 4], [5]]
        var done: [Int] = []
        await #expect(throws: Failure(item: 2)) {
            _ = try await Rounds.each {
                due.isEmpty ? [] : due.removeFirst()
            } _: { item in
                guard item == 1 || item == 4 else { throw Failure(item: item) }
                done.append(item)
                return true
            }
        }
        #expect(done == [1, 4] && due == [[5]])
    }

    @Test func whatFailsEndsTheTurn() async throws {
        struct Failure: Error {}
        var claims = 0
        await #expect(throws: Failure.self) {
            _ = try await Rounds.work {
                claims += 1
                return [claims]
            } _: { claimed in
                guard claimed == [1] else { throw Failure() }
                return 1
            }
        }
        #expect(claims == 2)
    }
}
