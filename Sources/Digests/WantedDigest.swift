internal import Deliveries
internal import EventLog

/// A digest as its author wants it.
public struct WantedDigest: Sendable {
    /// The view's name.
    let view: String
    let schedule: DigestSchedule
    let receiver: String

    /// - Parameters:
    ///   - view: the name of a saved view.
    ///   - schedule: when it is due.
    ///   - mail: to whom it is delivered, `NAME@HOST`.
    /// - Throws: ``DigestError`` with what is accepted.
    public init(view: String, schedule: DigestSchedule, mail: String) throws(DigestError) {
        // No view has another, and the database takes no NUL.
        guard view.utf8.count <= 100, !view.utf8.contains(0) else {
            throw DigestError(GivenName.rule(of: "view"))
        }
        let receiver = "mailto:\(mail)"
        guard case .mail? = Receiver(receiver) else { throw DigestError("the email address must be NAME@HOST") }
        self.view = view
        self.schedule = schedule
        self.receiver = receiver
    }
}
