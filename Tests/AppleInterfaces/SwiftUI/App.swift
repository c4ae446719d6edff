// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import AppleUIKit

// The interfaces of Apple's SwiftUI that the documentation's examples use: the examples are compiled against them.

/// Apple: View
@MainActor
public protocol View {}

/// Apple: Text
public struct Text: View {
    public init(_ content: String) {}
}

/// Apple: Scene
@MainActor
public protocol Scene {}

/// Apple: WindowGroup
public struct WindowGroup<Content: View>: Scene {
    public init(content: () -> Content) {}
}

/// Apple: App
@MainActor
public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

extension App {
    public static func main() {}
}

/// Apple: UIApplicationDelegateAdaptor
@MainActor
@propertyWrapper
public struct UIApplicationDelegateAdaptor<Delegate: NSObject & UIApplicationDelegate> {
    public let wrappedValue: Delegate
    public init(_ type: Delegate.Type = Delegate.self) { wrappedValue = type.init() }
}
