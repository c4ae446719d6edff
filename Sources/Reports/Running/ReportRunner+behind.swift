extension ReportRunner {
    /// Why an answer is not used yet whose projections are too far behind the log: how far, and how far they may be.
    public static func behind(_ lag: Double, most: Double) -> String {
        "its projections are \(Int(lag)) s behind, more than \(Int(most)) s: see `notilog projections list`"
    }
}
