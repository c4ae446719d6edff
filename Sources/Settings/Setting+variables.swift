extension Setting {
    /// Variables that are no settings, though they begin as those of settings do: where the files of a release are, which command
    /// tests run, a trap in tests, and the options of the timer that exports.
    private static let others: Set = ["SHARE", "COMMAND", "TEST_TRAP", "EXPORT_OPTIONS"]

    /// Whether a variable of the environment is most likely meant for a setting: it begins as theirs do, and is none of those that
    /// others set or read.
    static func isMeant(_ variable: String, _ value: String) -> Bool {
        guard variable.hasPrefix(prefix) else { return false }
        let name = variable.dropFirst(prefix.count)
        // Grafana's are often in one file with the service's.
        return !others.contains(String(name)) && !name.hasPrefix("GRAFANA_") && !isLink(name, value)
    }

    /// Whether Kubernetes set it: for a Service named `notilog`, or `notilog-…`, it sets `NOTILOG_SERVICE_HOST`,
    /// `NOTILOG_SERVICE_PORT`, `NOTILOG_PORT=tcp://…`, `NOTILOG_PORT_8080_TCP_ADDR` and more of the kind in every pod beside it.
    private static func isLink(_ name: Substring, _ value: String) -> Bool {
        let isOfPort = name.wholeMatch(of: /(.+_)?PORT(_[0-9]+_(TCP|UDP|SCTP))?/) != nil
        return isOfPort && value.wholeMatch(of: /(tcp|udp|sctp):\/\/.*/) != nil
            || name.wholeMatch(of: /(.+_)?PORT_[0-9]+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)/) != nil
            || name.wholeMatch(of: /(.+_)?SERVICE_(HOST|PORT(_.+)?)/) != nil
    }
}
