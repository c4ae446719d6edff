import Testing

@testable import Administration

@Suite("Half of a server's cells")
struct ServerShareTests {
    @Test(
        "the cells move whose bytes come closest to half, few and low numbers first; something stays, and so does cell 0",
        arguments: [
            ([1: 10, 2: 10], [1]), ([1: 10, 2: 30], [1]), ([1: 50, 2: 20, 3: 30], [1]), ([1: 40, 2: 35, 3: 25], [1]),
            ([1: 60, 2: 20, 3: 20, 4: 20], [1]), ([1: 10, 2: 20, 3: 30, 4: 40], [1, 4]), ([0: 10, 1: 500], [1]),
            ([0: 90, 1: 10, 2: 20], [1, 2]), ([3: 10], []), ([0: 10], []), ([:], []), ([2: 0, 3: 0], [2]),
        ] as [([Int16: Int64], Set<Int16>)]
    )
    func half(bytes: [Int16: Int64], expected: Set<Int16>) {
        #expect(ServerMove.half(bytes) == expected)
    }
}
