/// The permission for one unit of bounded work, which ends with its life.
final class Slot: Sendable {
    private let release: @Sendable () -> Void

    init(release: @escaping @Sendable () -> Void) {
        self.release = release
    }

    deinit {
        release()
    }
}
