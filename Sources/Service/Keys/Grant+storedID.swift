internal import Administration
internal import Decoding

extension Grant {
    /// An id as the log has it.
    ///
    /// - Throws: ``Problem`` 503 where the app's ids are hashed and the service has no secret to hash with.
    func storedID(_ id: String) throws(Problem) -> String {
        switch ids {
        case .clear: id
        case .hashed(let key): key.hash(id)
        case .unavailable: throw .noHashSecret
        }
    }

    /// What an id to be read about may be in the log: hashed as senders' ids are, or, where that gives nothing, as answers
    /// gave it, which know no other.
    ///
    /// - Throws: as ``storedID(_:)``.
    func storedIDs(_ id: String) throws(Problem) -> [String] {
        let stored = try storedID(id)
        return stored == id ? [id] : [stored, id]
    }
}
