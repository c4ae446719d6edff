import Foundation

/// Remembers outside the queue's folder that recording was refused. On tvOS the folder is in Caches, which the system may
/// empty while the app does not run.
struct RefusalMark: Sendable {
    /// Whether recording was refused, and not allowed since.
    let isSet: @Sendable () -> Bool
    /// Sets or removes the mark.
    let set: @Sendable (Bool) -> Void
}

extension RefusalMark {
    /// The mark of a queue; `nil` on systems that leave its folder alone.
    ///
    /// - Parameters:
    ///   - folder: the queue's. Its path may change with an update of the app, but not its name.
    ///   - group: the App Group that it belongs to; `nil` if it is the app's own.
    ///   - isTV: whether the system is tvOS.
    init?(of folder: URL, in group: String? = nil, isTV: Bool = Notilog.Options.isTV) {
        guard isTV else { return nil }
        let name = "notilog.refused." + folder.lastPathComponent
        let defaults: @Sendable () -> UserDefaults = { group.flatMap { UserDefaults(suiteName: $0) } ?? .standard }
        self.init(isSet: { defaults().bool(forKey: name) }, set: { defaults().set($0, forKey: name) })
    }
}
