import Foundation

extension Notilog {
    /// What the client has noticed about its own recording.
    struct Observations {
        /// Callbacks about notifications without a mark.
        var unmarked = 0
        /// Whether a push for a service extension arrived.
        var isMutableSeen = false
        /// The answer with which the service last barred this app.
        var barred: (status: Int, code: String?)?
        /// The sorts of findings that are in the log.
        var logged: Set<String> = []
        /// The class of another delegate that the notification center has now, if it has one.
        var otherDelegate: (@Sendable () -> String?)?
    }

    private static let extensionNote = "service-extension"

    /// The problems that keep the client from recording or sending, for a debug screen. The list is empty if there are
    /// none. Each sort is also logged once in a process: when the app becomes active, when it leaves the foreground,
    /// and when a service extension receives a push.
    public func diagnosis() -> [Finding] {
        var findings: [Finding] = []
        let observations = observations.withLock { $0 }
        if let name = observations.otherDelegate?() { findings.append(.delegateReplaced(by: name)) }
        if let group = options.appGroup, !options.hasGroupFolder { findings.append(.appGroupMissing(group)) }
        if options.isExtensionAlone { findings.append(.appGroupUnset) }
        if observations.unmarked > 0 { findings.append(.unmarked(observations.unmarked)) }
        if observations.isMutableSeen, !isExtensionSeen { findings.append(.extensionSilent) }
        if options.keyEnvironment == .production, options.provisioning.isDebug {
            findings.append(.productionKeyInDebugBuild)
        }
        if let barred = observations.barred { findings.append(.barred(status: barred.status, code: barred.code)) }
        return findings
    }

    /// Logs the findings that are new.
    func logDiagnosis() {
        for finding in diagnosis() where observations.withLock({ $0.logged.insert(finding.sort).inserted }) {
            options.log(finding.description)
        }
    }

    /// Notices whether a callback about a notification can be connected to its request.
    func notice(_ notification: Delivered) {
        let content = notification.request.content
        observations.withLock { observations in
            if content.mark?.id == nil { observations.unmarked += 1 }
            if content.asksForExtension { observations.isMutableSeen = true }
        }
    }

    /// Remembers, for the app, that its service extension records in this queue.
    func noticeExtension() {
        _ = failure {
            try storage.change(Self.extensionNote) { note in NoteChange(note: note == nil ? Data("heard".utf8) : nil) }
        }
    }

    /// Whether the service extension has recorded here, or nobody can know: without consent nothing is remembered.
    private var isExtensionSeen: Bool {
        var isSeen = false
        let isKnown = try? storage.change(Self.extensionNote) { note in
            isSeen = note != nil
            return NoteChange()
        }
        return isSeen || isKnown != true
    }
}
