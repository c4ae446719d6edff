/// What is delivered: the same in every attempt, as it is kept in the outbox.
public protocol OutgoingMessage: Decodable, Sendable {
    /// The name of its kind in the database.
    static var kind: String { get }
    /// The type of event in a webhook.
    var event: String { get }
    /// The subject of a mail.
    var subject: String { get }
    /// The message in words, line by line.
    var lines: [String] { get }
    /// The same for readers of mail that show HTML; nil for none.
    var page: MailPage? { get }
}

extension OutgoingMessage {
    /// None.
    public var page: MailPage? { nil }
}

/// A mail in HTML, with the images that it shows. It loads nothing from elsewhere.
public struct MailPage: Sendable, Equatable {
    /// An image in the mail.
    public struct Image: Sendable, Equatable {
        /// Its Content-ID, which the HTML names as `cid:ID`: letters, digits, `.` and `@`.
        public var id: String
        /// A file in PNG.
        public var png: [UInt8]

        /// Makes an image of its bytes.
        public init(id: String, png: [UInt8]) {
            self.id = id
            self.png = png
        }
    }

    /// The document.
    public var html: String
    /// What it shows.
    public var images: [Image]

    /// Makes a page.
    public init(html: String, images: [Image]) {
        self.html = html
        self.images = images
    }
}
