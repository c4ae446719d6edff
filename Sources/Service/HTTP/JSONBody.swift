internal import Decoding
internal import EventLog
internal import FoundationEssentials
internal import Hummingbird
internal import NIOCore

/// What a JSON body may hold: no members but its coding keys.
protocol RequestBody: Decodable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}

/// Small JSON bodies, of requests that are not for events.
struct JSONBody: Sendable {
    let admission: Admission

    private static let limit = 4096

    /// Reads a body.
    ///
    /// - Parameter accepts: the accepted body, in words, for the error.
    /// - Throws: ``Problem`` 415, 413, 408, 503 or 400.
    func read<Value: RequestBody>(
        _ request: Request,
        _ context: ServiceContext,
        app: AppID,
        accepts: String
    ) async throws -> Value {
        guard case .json? = BodyFormat(contentType: request.headers[.contentType] ?? "") else {
            throw Problem.notJSON
        }
        try BodyReader.checkAnnounced(request, limit: Self.limit)
        var holding = Holding(admission, app: app)
        let body = try await BodyReader.read(
            request,
            limit: Self.limit,
            holding: &holding,
            cutOff: context.cutBodyOff
        )
        return try Self.decode(Data(body.readableBytesView), accepts: accepts)
    }

    /// Decodes a body. A member that is not known is refused, because a misspelt one would silently have its default.
    ///
    /// - Throws: ``Problem`` 400.
    static func decode<Value: RequestBody>(_ body: Data, accepts: String) throws(Problem) -> Value {
        let known = Value.CodingKeys.allCases.map(\.stringValue)
        let members = try? JSONDecoder().decode([String: IgnoredValue].self, from: body)
        if let unknown = members?.keys.filter({ !known.contains($0) }).min() {
            throw .unknownMember(unknown, known: known)
        }
        do {
            return try JSONDecoder().decode(Value.self, from: body)
        } catch DecodingError.keyNotFound(let key, _) where known.contains(key.stringValue) {
            throw Problem(.badRequest, "invalid_json", "\(key.stringValue) is missing: the body is \(accepts)")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let member = context.codingPath.first.map { "\($0.stringValue) has a value of another type: " } ?? ""
            throw Problem(.badRequest, "invalid_json", "\(member)the body is \(accepts)")
        } catch {
            throw Problem(.badRequest, "invalid_json", "the body is \(accepts)")
        }
    }

    /// A value of any type, which is not read.
    private struct IgnoredValue: Decodable {
        init(from decoder: any Decoder) {}
    }
}
