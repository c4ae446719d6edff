/// The permission for one unit of bounded work, which ends with its life.
final class Slot: Sendable {
    private let giveBack: @Sendable () -> Void

    init(giveBack: @escaping @Sendable () -> Void) {
        self.giveBack = giveBack
    }

    deinit {
        giveBack()
    }
}
