// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

/// Apple: ActivityAttributes
public protocol ActivityAttributes: Decodable, Encodable {
    associatedtype ContentState: Decodable, Encodable, Hashable
}

/// Apple: ActivityState
public enum ActivityState: Codable, Sendable {
    case active, pending, ended, dismissed, stale
}

/// Apple: ActivityContent
public struct ActivityContent<State: Codable & Hashable> {
    public let state: State
    public init(state: State, staleDate: Date?, relevanceScore: Double = 0) { self.state = state }
}

/// Apple: ActivityAuthorizationInfo
public final class ActivityAuthorizationInfo {
    public init() {}
    public var areActivitiesEnabled: Bool { true }
}

/// Apple: PushType
public struct PushType: Sendable {
    public static let token = PushType()
}

/// Apple: Activity
public final class Activity<Attributes: ActivityAttributes>: Identifiable, @unchecked Sendable {
    public typealias ContentState = Attributes.ContentState
    /// Apple: Activity.PushTokenUpdates
    public typealias PushTokenUpdates = AsyncStream<Data>

    public let id: String
    public var activityState: ActivityState
    public var content: ActivityContent<ContentState>
    public let pushTokenUpdates: PushTokenUpdates
    public let activityStateUpdates: AsyncStream<ActivityState>
    public let contentUpdates: AsyncStream<ActivityContent<ContentState>>

    /// For tests: what the streams give.
    public let tokens: AsyncStream<Data>.Continuation
    public let states: AsyncStream<ActivityState>.Continuation
    public let contents: AsyncStream<ActivityContent<ContentState>>.Continuation

    /// For tests.
    public init(id: String, content: ContentState) {
        self.id = id
        self.content = ActivityContent(state: content, staleDate: nil)
        activityState = .active
        (pushTokenUpdates, tokens) = AsyncStream.makeStream()
        (activityStateUpdates, states) = AsyncStream.makeStream()
        (contentUpdates, contents) = AsyncStream.makeStream()
    }

    /// Apple: Activity.request. This one is in the stream of updates before the caller has it.
    public static func request(
        attributes: Attributes,
        content: ActivityContent<ContentState>,
        pushType: PushType? = nil
    ) throws -> Activity<Attributes> {
        let activity = Activity(id: "by-app", content: content.state)
        ActivityWorld.of(Self.self).updates.yield(activity)
        return activity
    }

    public static var activities: [Activity<Attributes>] { ActivityWorld.of(Self.self).present }
    public static var activityUpdates: AsyncStream<Activity<Attributes>> { ActivityWorld.of(Self.self).stream }
    public static var pushToStartTokenUpdates: PushTokenUpdates { ActivityWorld.of(Self.self).startTokens }
}

/// For tests: the activities of one type, and what the streams of the type give.
public final class ActivityWorld<Attributes: ActivityAttributes>: @unchecked Sendable {
    public var present: [Activity<Attributes>] = []
    public let stream: AsyncStream<Activity<Attributes>>
    public let updates: AsyncStream<Activity<Attributes>>.Continuation
    public let startTokens: AsyncStream<Data>
    public let startToken: AsyncStream<Data>.Continuation

    fileprivate init() {
        (stream, updates) = AsyncStream.makeStream()
        (startTokens, startToken) = AsyncStream.makeStream()
    }

    public static func of(_ type: Activity<Attributes>.Type) -> ActivityWorld<Attributes> {
        ActivityWorlds.lock.lock()
        defer { ActivityWorlds.lock.unlock() }
        if let world = ActivityWorlds.worlds[ObjectIdentifier(type)] as? ActivityWorld<Attributes> { return world }
        let world = ActivityWorld<Attributes>()
        ActivityWorlds.worlds[ObjectIdentifier(type)] = world
        return world
    }
}

private enum ActivityWorlds {
    static let lock = NSLock()
    nonisolated(unsafe) static var worlds: [ObjectIdentifier: AnyObject] = [:]
}
