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

    /// The ids under which the log may have what a client asks for, in the order to try: as a sender's id is stored now, then the
    /// other of hashed and as given. The switch may have been turned, and answers contain hashed ids.
    ///
    /// - Throws: as ``storedID(_:)``.
    func storedIDs(_ id: String) throws(Problem) -> [String] {
        let stored = try storedID(id)
        if stored != id { return [stored, id] }
        if case .hashed(let key) = pastIDs { return [id, key.hash(id)] }
        return [id]
    }
}
