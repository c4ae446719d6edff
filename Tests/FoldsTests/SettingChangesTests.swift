import Folds
import Testing

/// When the changes of a device's settings differ from those that are stored.
@Suite struct SettingChangesTests {
    private static func periods(_ snapshots: [(at: Moment, value: Int)]) -> Periods {
        Periods().merged(
            with: snapshots.map {
                Snapshot(at: $0.at, id: UUIDValue(high: 0, low: UInt64($0.at)), value: $0.value == 1 ? .empty : .none)
            }
        )
    }

    @Test func onlyTheNewestMayReachFurther() {
        let known = Self.periods([(1, 1), (3, 1), (5, 2), (7, 2)])
        #expect(!known.hasOtherChanges(than: known))
        #expect(!Self.periods([(1, 1), (3, 1), (5, 2), (9, 2)]).hasOtherChanges(than: known))
        #expect(Self.periods([(1, 1), (4, 1), (5, 2), (7, 2)]).hasOtherChanges(than: known))
        #expect(Self.periods([(1, 1), (3, 1), (4, 2), (7, 2)]).hasOtherChanges(than: known))
        #expect(Self.periods([(1, 1), (3, 1), (5, 2), (7, 2), (8, 1)]).hasOtherChanges(than: known))
        #expect(Self.periods([(1, 1), (3, 1)]).hasOtherChanges(than: known))
    }

    @Test func oneValueIsNoChange() {
        #expect(!Self.periods([(1, 1)]).hasOtherChanges(than: Periods()))
        #expect(!Self.periods([(0, 1), (2, 1)]).hasOtherChanges(than: Self.periods([(1, 1)])))
        #expect(Self.periods([(1, 1)]).lastChangeAt == nil)
        #expect(Self.periods([(1, 1), (2, 2), (3, 2)]).lastChangeAt == 2)
    }
}
