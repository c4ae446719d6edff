/// Why an event cannot be folded.
package enum FoldError: Error, Equatable {
    /// A count went beyond its type.
    case overflow
    /// A value that is no time, or no number of the range that it must have.
    case value
    /// Facts packed in a version that is not known, or cut short.
    case packing
}

extension FixedWidthInteger {
    /// The sum.
    ///
    /// - Throws: ``FoldError/overflow``.
    @inline(__always)
    package func adding(_ other: Self) throws(FoldError) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        if overflow { throw .overflow }
        return sum
    }
}
