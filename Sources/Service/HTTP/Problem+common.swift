internal import Decoding
internal import HTTPTypes
internal import NotificationEvents
internal import Postgres
internal import Settings

extension Problem {
    /// 401: no key, or no active key.
    static func unauthorized(_ detail: String) -> Problem {
        var problem = Problem(.unauthorized, "unauthorized", detail)
        problem.headers[.wwwAuthenticate] = "Bearer"
        return problem
    }

    /// 401: an unknown or revoked key.
    static var unknownKey: Problem {
        .unauthorized("the key is unknown or revoked: create one with `notilog keys create`")
    }

    /// 403: the key's scope does not cover the request.
    static func forbidden(_ scope: Scope, needs: [Scope]) -> Problem {
        let accepted = needs.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .forbidden,
            "scope",
            "a key of scope \(scope.rawValue) may not do this: use one of scope \(accepted)"
        )
    }

    /// 404: no such thing in the app that the key belongs to.
    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, "not_found", detail)
    }

    /// 404: no such route.
    static func noRoute(_ templates: [String]) -> Problem {
        var problem = Problem(.notFound, "not_found", "this path does not exist: see /v1/openapi.yaml")
        problem.accepted = templates
        return problem
    }

    /// 405: the route has other methods.
    static func methodNotAllowed(_ allowed: [HTTPRequest.Method]) -> Problem {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        var problem = Problem(.methodNotAllowed, "method_not_allowed", "this path takes \(list)")
        problem.headers[.allow] = list
        return problem
    }

    /// 400: a parameter that is not accepted.
    static func badParameter(_ detail: String) -> Problem {
        Problem(.badRequest, "invalid_parameter", detail)
    }

    /// 409: what is there already keeps it from being added; or 400 if it is not accepted itself.
    static func notAdded(_ detail: String, isConflict: Bool) -> Problem {
        isConflict ? Problem(.conflict, "not_added", detail) : badParameter(detail)
    }

    /// 400: a member of a JSON body that is not known.
    static func unknownMember(_ name: String, known: [String]) -> Problem {
        // A name is shown if it looks like one: it may be a value that was put in the wrong place.
        let isName = name.utf8.count <= 32 && name.wholeMatch(of: /[A-Za-z][A-Za-z_-]*/) != nil
        let nearest = isName ? name.nearest(of: known).map { ": did you mean \($0)?" } : nil
        let member = isName ? "the member \(name) of the body is not known" : "a member of the body is not known"
        let accepted = known.joined(separator: ", ")
        var problem = Problem.badParameter("\(member)\(nearest ?? ";") accepted are \(accepted)")
        problem.parameter = isName ? name : nil
        problem.accepted = known
        return problem
    }

    /// 413: the body is too large; answered before it is read.
    static func tooLarge(limit: Int) -> Problem {
        Problem(.contentTooLarge, "too_large", "the body is larger than \(limit) bytes: send less at once")
    }

    /// 408: the body did not come in time.
    static let bodyTimeout = Problem(
        .requestTimeout,
        "body_timeout",
        "the body did not arrive in time: send it at once, and in smaller parts on a slow connection"
    )

    /// 410: the log is no longer the one that the cursor refers to.
    static let logWentBack = Problem(
        .gone,
        "log_went_back",
        "the log went back in time since this cursor was given: start over without it"
    )

    /// 415: answered before the body is read.
    static let unsupportedMediaType = Problem(
        .unsupportedMediaType,
        "unsupported_media_type",
        "the Content-Type must be one of \(BodyFormat.allCases.map(\.rawValue).joined(separator: ", ")), in UTF-8"
    )

    /// 415: the route takes only JSON; answered before the body is read.
    static let notJSON = Problem(
        .unsupportedMediaType,
        "unsupported_media_type",
        "the Content-Type must be application/json, in UTF-8"
    )

    /// 415: the body comes in a transfer coding that is not read; answered before it is.
    static let unsupportedCoding = Problem(
        .unsupportedMediaType,
        "unsupported_encoding",
        "the Transfer-Encoding must be chunked alone: say with Content-Encoding that the body is compressed"
    )

    /// 429: the key sends faster than it may.
    static func tooFast(wait seconds: Double) -> Problem {
        Problem(.tooManyRequests, "rate_limit", "the key exceeds its rate limit: wait, then send the request again")
            .retry(after: seconds)
    }

    /// 503: more work at a time than the limit.
    ///
    /// - Parameter seconds: about how long it takes until there is room.
    static func overloaded(wait seconds: Double) -> Problem {
        Problem(
            .serviceUnavailable,
            "overloaded",
            "the service is overloaded: send the request again later"
        ).retry(after: seconds)
    }

    /// 429: the key's or the app's work under way is at its limit, and this request has waited for its time.
    ///
    /// - Parameters:
    ///   - work: what is under way, in the plural: `reports` or `requests`.
    ///   - seconds: about how long those before it take.
    static func tooMany(_ work: String, _ limit: Int, of owner: String, wait seconds: Double) -> Problem {
        Problem(
            .tooManyRequests,
            "too_many_\(work)",
            "the \(owner) has \(limit) \(work) of this kind under way, and others are waiting: send fewer at once"
        ).retry(after: seconds)
    }

    /// The same for a sender of events. It says to keep the ids, with which events count once, whatever became of the request.
    var forSender: Problem {
        guard ["database_unavailable", "stopping"].contains(code) else { return self }
        var problem = self
        problem.detail += ", with the same ids"
        return problem
    }

    /// 503: the database does not answer.
    static var databaseAway: Problem {
        Problem(
            .serviceUnavailable,
            "database_unavailable",
            "the database does not answer: send the request again later"
        ).retry(after: 2)
    }

    /// 503: the database answers, and refuses.
    static func databaseRefuses(_ refusal: PostgresError.Refusal) -> Problem {
        Problem(
            .serviceUnavailable,
            "database_unavailable",
            "\(refusal): send the request again later"
        ).retry(after: 2)
    }

    /// 503: other work of the database was in the way for too long.
    static var databaseBusy: Problem {
        Problem(
            .serviceUnavailable,
            "database_unavailable",
            "the database is busy: send the request again later"
        ).retry(after: 2)
    }

    /// 503: another database takes over from this one, or from the cell that the events' devices were in.
    static var logMoves: Problem {
        Problem(
            .serviceUnavailable,
            "database_unavailable",
            "the log moves to another database: send the request again later"
        ).retry(after: 2)
    }

    /// 503: the app's ids are hashed with a secret, and the service has none or another one.
    static var noHashSecret: Problem {
        Problem(
            .serviceUnavailable,
            "id_hash_secret",
            "the app keeps hashed ids only, and the service does not have the secret for them: set NOTILOG_ID_HASH_SECRET"
        ).retry(after: 60)
    }

    /// 503: ids of the database were hashed with a secret, and an erasure without it would miss events.
    static var noSecretOfEarlierIDs: Problem {
        Problem(
            .serviceUnavailable,
            "id_hash_secret",
            "ids of this database were hashed, and without the secret for them an erasure could miss events: set NOTILOG_ID_HASH_SECRET"
        ).retry(after: 60)
    }

    /// 503: the clock that events are checked against cannot be right.
    static func clockWrong(_ detail: String) -> Problem {
        Problem(.serviceUnavailable, "clock_wrong", "\(detail); send the same again later").retry(after: 30)
    }

    /// 503: the service is being stopped.
    static var stopping: Problem {
        Problem(
            .serviceUnavailable,
            "stopping",
            "the service is stopping: send the request again"
        ).retry(after: 2)
    }

    /// 499: the client hung up, and nobody reads this. Only the log and the metrics have it.
    static let abandoned = Problem(
        HTTPResponse.Status(code: 499),
        "abandoned",
        "the client hung up before its answer"
    )

    /// 500: a fault of the service, whose log says more.
    static let internalError = Problem(
        .internalServerError,
        "internal",
        "the service failed: send the request again later, and search the service's log for the request's id"
    )

    /// The answer for a database error; `nil` for a fault of the service.
    init?(_ error: PostgresError) {
        // A missing right is a fault of the service and does not pass by itself.
        if let refusal = error.refusal, refusal != .permission {
            self = .databaseRefuses(refusal)
        } else if error.isConnectionFailure || error.code == .poolClosed {
            self = .databaseAway
        } else if error.sqlState == SQLState.otherCell {
            self = .logMoves
        } else if error.isRetriable {
            self = .databaseBusy
        } else if error.sqlState == SQLState.queryCanceled {
            self = Problem(
                .serviceUnavailable,
                "timeout",
                "the database took too long: request less, or try again later"
            ).retry(after: 5)
        } else {
            return nil
        }
    }
}
