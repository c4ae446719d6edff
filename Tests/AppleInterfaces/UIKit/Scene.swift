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
open class UISceneSession: NSObject {}

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
