internal import Administration
internal import Decoding

extension Grant {
    /// An id as the log has it.
    ///
    /// - Throws: ``Problem`` 503 if the app's ids are hashed and the service has no secret to hash with.
    func storedID(_ id: String) throws(Problem) -> String {
        switch ids {
        case .clear: id
        case .hashed(let key): key.hash(id)
        case .unavailable: throw .noHashSecret
        }
    }

    /// The ids under which the log may have what a client asks for, in the order to try: hashed like a sender's id, then as
    /// given, because answers contain hashed ids.
    ///
    /// - Throws: as ``storedID(_:)``.
    func storedIDs(_ id: String) throws(Problem) -> [String] {
        let stored = try storedID(id)
        return stored == id ? [id] : [stored, id]
    }
}
