internal import EventLog
internal import HTTPTypes
internal import Hummingbird
internal import JSON

/// The results of the checks.
struct Readiness: Sendable {
    private var checks: [(name: String, problem: String?)] = []
    /// Not a check: without the standby everything is read from the primary, and events are taken as before.
    private let standby: StandbyStatus?

    init(standby: StandbyStatus?) {
        self.standby = standby
    }

    mutating func add(_ name: String, _ problem: String?) {
        checks.append((name, problem))
    }

    var isReady: Bool {
        checks.allSatisfy { $0.problem == nil }
    }

    var response: Response {
        var response = Response.object {
            $0.field("status", isReady ? "ready" : "not_ready")
            $0.name("checks")
            $0.object { json in
                for check in checks {
                    json.name(text: check.name)
                    json.string(check.problem ?? "ok")
                }
            }
            if let standby {
                $0.name("standby")
                $0.object { standby.write(to: &$0) }
            }
        }
        if !isReady {
            response.status = .serviceUnavailable
            response.headers[.retryAfter] = String(RetryAfter(2).seconds)
        }
        return response
    }
}

extension StandbyStatus {
    /// Writes the members of an object.
    fileprivate func write(to json: inout JSONWriter) {
        json.field("state", state.rawValue)
        json.field("detail", problem)
        guard let lag else { return }
        json.field("bytes_behind", lag.bytes)
        json.field("positions_behind", lag.positions)
        json.field("seconds_behind", lag.seconds)
    }
}
