// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

/// Apple: ActivityAttributes, as far as the documentation's examples use it.
public protocol ActivityAttributes: Codable, Sendable {
    associatedtype ContentState: Codable, Hashable, Sendable
}

/// Apple: Activity
public final class Activity<Attributes: ActivityAttributes>: Identifiable, Sendable {
    public let id: String
    /// Apple: Activity.PushTokenUpdates
    public typealias PushTokenUpdates = AsyncStream<Data>
    public let pushTokenUpdates: PushTokenUpdates

    /// For tests.
    public init(id: String, pushTokenUpdates: PushTokenUpdates) {
        self.id = id
        self.pushTokenUpdates = pushTokenUpdates
    }
}
