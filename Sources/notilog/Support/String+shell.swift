extension String {
    /// The text as one word for the shell, in quotes where it needs them.
    var shellWord: String {
        if wholeMatch(of: /[A-Za-z0-9._\/-]+/) != nil { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
