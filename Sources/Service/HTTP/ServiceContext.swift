internal import Hummingbird

/// What Hummingbird keeps beside a request.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    init(source: Source) {
        coreContext = .init(source: source)
    }
}
