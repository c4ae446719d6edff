/// An Apple closure or object that may be used on any thread, although its type does not say so. Older SDKs declare
/// completion handlers without `@Sendable`, newer ones with it. In this box, one source works with both.
struct Handed<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A weak reference.
final class Weak<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object) {
        self.object = object
    }
}
