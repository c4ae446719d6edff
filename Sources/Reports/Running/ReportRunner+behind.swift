extension ReportRunner {
    /// How far behind the log, in seconds, projections may be for an answer that nobody watches: an alert's, a digest's.
    public static let mostLag = 900.0

    /// Why an answer is not used yet whose projections are further behind than ``mostLag``.
    ///
    /// - Parameter lag: how far, in seconds.
    public static func behind(_ lag: Double) -> String {
        "its projections are \(Int(lag)) s behind, more than \(Int(mostLag)) s: see `notilog projections list`"
    }
}
