// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import AppleUserNotifications
public import Foundation

/// Apple: UIScene
@MainActor
open class UIScene: UIResponder {
    /// Apple: UIScene.ConnectionOptions
    @MainActor
    open class ConnectionOptions: NSObject {
        open var notificationResponse: UNNotificationResponse? { nil }
    }
}

/// Apple: UISceneSession
@MainActor
open class UISceneSession: NSObject {
    /// Apple: UISceneSession.Role
    public struct Role: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    open var role: Role { Role(rawValue: "UIWindowSceneSessionRoleApplication") }
}

/// Apple: UISceneConfiguration
@MainActor
open class UISceneConfiguration: NSObject {
    open var delegateClass: AnyClass?
    public init(name: String?, sessionRole: UISceneSession.Role) {}
}

/// Apple: UISceneDelegate
@MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    )
}

extension UISceneDelegate {
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}
}

/// Apple: UIWindowSceneDelegate
@MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}
