import Foundation

/// What an answer means for the events that were sent.
enum Verdict: Equatable {
    /// The service has handled each event. The list holds those it rejected.
    case taken([Rejection])
    /// No event was taken. The service says so, or a server in front of it finds the batch too large. If others are
    /// taken, an event is at fault.
    case rejected(status: Int, code: String?)
    /// Nothing is known to be wrong with the events, but the way to the service is closed: a wrong key, a wrong URL, or
    /// a proxy with its own rules.
    case barred(status: Int, code: String?)
    /// The events may have been taken or not. They are sent again later.
    case unsure(status: Int)

    /// An event that the service rejected.
    struct Rejection: Equatable {
        /// Its index in the batch.
        var index: Int
        /// The service's code, such as `invalid_value`.
        var code: String
        /// What is wrong with it.
        var message: String
    }

    init(_ answer: Notilog.IncomingAnswer, count: Int) {
        switch answer.status {
        case 200, 422:
            if let outcome = Outcome(answer.body, count: count) {
                self = .taken(outcome.rejections)
            } else {
                // A captive portal answers 200 too.
                self = answer.status == 200 ? .unsure(status: 200) : Self.byCode(answer)
            }
        case 408, 425, 429, 500...: self = .unsure(status: answer.status)
        case 401, 403, 404, 405, 407, 410, 415, 421: self = .barred(status: answer.status, code: answer.problem)
        case 413 where count > 1: self = .rejected(status: answer.status, code: answer.problem)
        case 400..<500: self = Self.byCode(answer)
        // Redirects are not followed.
        case 300..<400: self = .barred(status: answer.status, code: nil)
        default: self = .unsure(status: answer.status)
        }
    }

    /// Only the service itself rejects events, and it says why.
    private static func byCode(_ answer: Notilog.IncomingAnswer) -> Verdict {
        guard let code = answer.problem else { return .barred(status: answer.status, code: nil) }
        return .rejected(status: answer.status, code: code)
    }

    /// The service's answer, item by item.
    private struct Outcome {
        var rejections: [Rejection]

        private struct Body: Decodable {
            var accepted: Int
            var duplicate: Int
            var rejected: Int
            var results: [Item]

            struct Item: Decodable {
                var index: Int
                var status: String
                var error: Problem?
            }

            struct Problem: Decodable {
                var code: String
                var message: String
            }
        }

        /// `nil` unless this is a complete answer of the service to a batch of this many events.
        init?(_ data: Data, count: Int) {
            guard let body = try? JSONDecoder().decode(Body.self, from: data),
                body.accepted + body.duplicate + body.rejected == count
            else { return nil }
            rejections = body.results.filter { $0.status == "rejected" && (0..<count).contains($0.index) }.map { item in
                Rejection(
                    index: item.index,
                    code: item.error?.code ?? "rejected",
                    message: item.error?.message ?? "the service gave no reason"
                )
            }
            guard rejections.count == body.rejected else { return nil }
        }
    }
}

extension Notilog.IncomingAnswer {
    /// The `code` of a problem document (RFC 9457).
    fileprivate var problem: String? {
        struct Problem: Decodable { var code: String? }
        return (try? JSONDecoder().decode(Problem.self, from: body))?.code
    }
}
