// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Apple: UTType, with some of the types that the system declares.
public struct UTType: Sendable, Hashable {
    public let identifier: String

    private static let parents: [String: [String]] = [
        "public.image": ["public.data"], "public.jpeg": ["public.image"], "org.webmproject.webp": ["public.image"],
        "public.audiovisual-content": ["public.data"], "public.audio": ["public.audiovisual-content"],
        "com.apple.m4a-audio": ["public.audio"], "public.movie": ["public.audiovisual-content"],
        "public.video": ["public.movie"], "com.apple.m4v-video": ["public.movie"], "public.data": [],
        "com.adobe.pdf": ["public.data"],
    ]

    public init?(_ identifier: String) {
        guard Self.parents[identifier] != nil else { return nil }
        self.identifier = identifier
    }

    private init(known identifier: String) { self.identifier = identifier }

    public static let image = UTType(known: "public.image")
    public static let audio = UTType(known: "public.audio")
    public static let movie = UTType(known: "public.movie")
    public static let video = UTType(known: "public.video")

    public func conforms(to type: UTType) -> Bool {
        self == type || (Self.parents[identifier] ?? []).contains { UTType(known: $0).conforms(to: type) }
    }
}
