// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import Foundation

// The interfaces of Apple's UIKit that the documentation's examples use, written from their documentation: the examples
// are compiled against them. Nothing here runs. What is optional in a protocol of Apple's has an empty implementation.

/// Apple: UIResponder
@MainActor
open class UIResponder: NSObject {
    public nonisolated override init() {}
}

/// Apple: UIApplication
@MainActor
open class UIApplication: UIResponder {
    /// Apple: UIApplication.State
    public enum State: Int, Sendable {
        case active, inactive, background
    }

    /// Apple: UIApplication.LaunchOptionsKey
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let remoteNotification = LaunchOptionsKey(rawValue: "remoteNotification")
    }

    public static let shared = UIApplication()
    /// Apple: didBecomeActiveNotification
    public nonisolated class var didBecomeActiveNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidBecomeActiveNotification")
    }
    /// Apple: openSettingsURLString
    public static let openSettingsURLString = "app-settings:"
    /// Apple: openNotificationSettingsURLString
    public static let openNotificationSettingsURLString = "app-settings:notifications"

    open var applicationState: State { .active }
    open func open(_ url: URL) {}
    open func registerForRemoteNotifications() {}
}

/// Apple: UIBackgroundFetchResult
public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData, noData, failed
}

/// Apple: UIApplicationDelegate
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    init()
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    )
    func applicationDidBecomeActive(_ application: UIApplication)
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration
}

extension UIApplicationDelegate {
    public static func main() {}

    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}
    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {}
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    public func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration { UISceneConfiguration(name: nil, sessionRole: connectingSceneSession.role) }
}
