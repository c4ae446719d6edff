/// Why an attempt to deliver failed. The text is kept in the database: it has nothing of what a receiver answered but codes.
struct DeliveryFailure: Error, Sendable, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
