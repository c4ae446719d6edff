import Simulator
import Testing

@Suite struct DeterminismTests {
    private func bytes(devices: Int = 60, days: Int = 9, end: Int64 = 1_763_683_200_000_000, seed: UInt64 = 3)
        -> [UInt8]
    {
        var bytes: [UInt8] = []
        for event in Simulation(SimulationParameters(devices: devices, days: days, end: end, seed: seed)) {
            bytes.append(contentsOf: event.line)
            bytes.append(0x0A)
        }
        return bytes
    }

    @Test func sameParametersGiveSameBytes() {
        let first = bytes()
        #expect(first.count > 100_000)
        // Compared outside the macro, which would look for the difference of two long arrays for minutes.
        let isSame = first == bytes()
        #expect(isSame)
    }

    @Test func oneSimulationCanBeIteratedAgain() {
        let simulation = Simulation(SimulationParameters(devices: 20, days: 5, end: 1_763_683_200_000_000, seed: 1))
        let isSame = simulation.map { Array($0.line) } == simulation.map { Array($0.line) }
        #expect(isSame)
    }

    @Test func everyParameterChangesTheBytes() {
        let first = bytes()
        let others = [
            bytes(seed: 4), bytes(devices: 61), bytes(days: 10), bytes(end: 1_763_683_200_000_000 + 3_600_000_000),
        ]
        let areAllOthers = others.allSatisfy { $0 != first }
        #expect(areAllOthers)
    }

    @Test func aDeviceKnowsNothingOfOthers() {
        let parameters = SimulationParameters(devices: 30, days: 6, end: 1_763_683_200_000_000, seed: 9)
        var more = parameters
        more.devices = 31
        let few = Set(Simulation(parameters).map { Array($0.line) })
        let many = Set(Simulation(more).map { Array($0.line) })
        let isPart = few.isStrictSubset(of: many)
        #expect(isPart)
    }

    @Test(arguments: [(0, 10), (10, 0), (-1, -1)])
    func nothingComesFromNothing(devices: Int, days: Int) {
        #expect(bytes(devices: devices, days: days).isEmpty)
    }

    @Test(arguments: [Int64(0), -86_400_000_001, 1_709_208_000_123_456])
    func anyEndWillDo(end: Int64) {
        let parameters = SimulationParameters(devices: 40, days: 3, end: end, seed: 5)
        let events = Array(Simulation(parameters))
        #expect(!events.isEmpty)
        #expect(events.allSatisfy { $0.sentAt >= parameters.start && $0.sentAt < end })
    }
}
