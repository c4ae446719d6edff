/// The range of a run or an answer: numbers above `after`, up to and including `upTo`. They are positions of the log for
/// events, else change numbers.
public struct ExportRange: Sendable, Hashable {
    /// The last number that the reader has.
    public var after: Int64
    /// The last number in it.
    public var upTo: Int64

    /// - Parameters: as the properties of the same names.
    public init(after: Int64, upTo: Int64) {
        self.after = after
        self.upTo = upTo
    }
}
