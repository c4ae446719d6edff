internal import Folds

/// The key of an event that has a row of its own.
struct DeviceEvent {
    let app: Int32
    let device: Symbol
    let at: Moment
    let id: UUIDValue

    /// Nil if the event names no device.
    init?(_ event: FoldEvent) {
        if event.device == .empty { return nil }
        (app, device, at, id) = (event.app, event.device, event.at, event.id)
    }
}
