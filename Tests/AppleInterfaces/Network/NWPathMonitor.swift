// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Dispatch

/// Apple: NWPath
public struct NWPath: Sendable {
    /// Apple: NWPath.Status
    public enum Status: Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    public let status: Status
    public let isConstrained: Bool

    /// For tests.
    public init(status: Status, isConstrained: Bool) {
        self.status = status
        self.isConstrained = isConstrained
    }
}

/// Apple: NWPathMonitor
public final class NWPathMonitor: @unchecked Sendable {
    /// For tests: the paths of every monitor, one after the other.
    public static let paths = [
        NWPath(status: .satisfied, isConstrained: false), NWPath(status: .unsatisfied, isConstrained: true),
        NWPath(status: .satisfied, isConstrained: true), NWPath(status: .requiresConnection, isConstrained: false),
    ]

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)?

    public init() {}

    public func start(queue: DispatchQueue) {
        for path in Self.paths { pathUpdateHandler?(path) }
    }

    public func cancel() {}
}
