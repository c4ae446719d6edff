import Foundation

/// Hands the oldest events over to the system, which sends them when the app no longer can. They stay in the queue
/// until an answer says that the service has them. Until then the uploader may also send them. Their ids make the second
/// copy a duplicate.
final class Handover: Sendable {
    /// What an upload carries, read from its name, which is all that a later process knows of it.
    struct UploadName: Codable, Hashable {
        /// The body's file, beside the queue.
        var file: String
        /// The number of events.
        var count: Int
        /// The last of them. It tells whether this is still the queue that they came from.
        var last: UUID
        var segment: UInt64
        var offset: UInt64

        var position: Notilog.QueuePosition { Notilog.QueuePosition(segment: segment, offset: offset) }

        init(_ events: [Notilog.QueuedEvent], last: Notilog.QueuedEvent, owner: String) {
            file = owner + "." + UUID().uuidString + Handover.suffix
            count = events.count
            self.last = last.id
            (segment, offset) = (last.position.segment, last.position.offset)
        }

        init?(name: String) {
            guard let upload = try? JSONDecoder().decode(UploadName.self, from: Data(name.utf8)) else { return nil }
            self = upload
        }

        var name: String? { (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } }
    }

    /// How the names of the files that are handed over end.
    static let suffix = ".upload"
    /// Seconds after which the system gives an upload up, so that nobody waits for its file.
    static let lifetime: TimeInterval = 86_400
    /// The owner in the names of this process's files. An app and its extensions may share the folder, and none knows
    /// another's uploads.
    static var processOwner: String { Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName }

    private let settings: Uploader.Settings
    private let storage: any Notilog.EventStorage
    private let uploads: any Notilog.BackgroundUploads
    private let folder: URL
    private let owner: String
    private let report: @Sendable (Notilog.Report) -> Void
    /// Whether somebody is choosing what to hand over.
    private let isChoosing = Guarded(false)

    init(
        _ settings: Uploader.Settings,
        storage: any Notilog.EventStorage,
        uploads: any Notilog.BackgroundUploads,
        folder: URL,
        owner: String = Handover.processOwner,
        report: @escaping @Sendable (Notilog.Report) -> Void
    ) {
        self.settings = settings
        self.storage = storage
        self.uploads = uploads
        self.folder = folder
        self.owner = owner
        self.report = report
        uploads.observe { [weak self] name, answer in await self?.ended(name, answer) }
    }

    /// Hands the oldest events over, unless some are under way.
    func begin(notBefore date: Date?) async {
        let begins = isChoosing.withLock { isChoosing in
            defer { isChoosing = true }
            return !isChoosing
        }
        guard begins else { return }
        defer { isChoosing.withLock { $0 = false } }
        let underWay = Set((await uploads.underWay()).compactMap { UploadName(name: $0)?.file })
        removeFiles { (isOwn($0) || isForgotten($0)) && !underWay.contains($0) }
        guard underWay.isEmpty else { return }
        do {
            let events = try storage.oldest(settings.batchEvents, bytes: settings.batchBytes)
            guard let last = events.last else { return }
            let upload = UploadName(events, last: last, owner: owner)
            guard let name = upload.name else { return }
            // Without the time of sending, which only the system will know.
            var request = Envelope.request(events, settings, sentAt: nil)
            let file = folder.appendingPathComponent(upload.file)
            try write(request.body, to: file)
            request.body = Data()
            uploads.begin(request, file: file, name: name, notBefore: date)
            // Whoever withdrew the consent since the events were read found nothing to cancel.
            if (try? storage.permitsRecording()) != true { stop() }
        } catch {
            report(.storage(String(describing: error)))
        }
    }

    /// Cancels the uploads in progress and deletes what they carry. This includes uploads of other processes, because
    /// nobody may send them.
    func stop() {
        uploads.cancel()
        removeFiles { _ in true }
    }

    private func ended(_ name: String, _ answer: Notilog.IncomingAnswer?) async {
        guard let upload = UploadName(name: name) else { return }
        unlink(folder.appendingPathComponent(upload.file).path)
        guard let answer else { return }
        switch Verdict(answer, count: upload.count) {
        case .taken(let rejections):
            do {
                // What the uploader has sent meanwhile is out of the queue; the rest is sent again, and is a duplicate.
                let events = try storage.oldest(upload.count, bytes: .max)
                guard events.count == upload.count, let last = events.last, last.id == upload.last,
                    last.position == upload.position
                else { return }
                try storage.remove(through: last.position)
                for rejection in rejections {
                    let (id, code) = (events[rejection.index].id, rejection.code)
                    report(.rejected(id: id, status: 422, code: code, message: rejection.message))
                }
            } catch {
                report(.storage(String(describing: error)))
                return
            }
            await begin(notBefore: nil)
        case .barred(let status, let code): report(.barred(status: status, code: code))
        // The uploader sends them again, in parts where one of them is rejected.
        case .rejected, .unsure: break
        }
    }

    private func write(_ body: Data, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: FileProtection.ofFolder
        )
        let attributes = FileProtection.ofFile
        guard FileManager.default.createFile(atPath: file.path, contents: body, attributes: attributes) else {
            throw Notilog.StorageError(operation: "an upload cannot be written", code: 0)
        }
    }

    /// Whether an upload's file belongs to this process, or to an earlier one of the same owner.
    private func isOwn(_ name: String) -> Bool {
        guard name.hasPrefix(owner + ".") else { return false }
        // Another's name may begin with ours: an extension's with the app's.
        return UUID(uuidString: String(name.dropFirst(owner.count + 1).dropLast(Self.suffix.count))) != nil
    }

    /// Whether an upload's file is older than the system keeps trying to send it.
    private func isForgotten(_ name: String) -> Bool {
        let path = folder.appendingPathComponent(name).path
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let date = attributes?[.modificationDate] as? Date else { return false }
        return Date().timeIntervalSince(date) > Self.lifetime
    }

    private func removeFiles(_ isToGo: (String) -> Bool) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasSuffix(Self.suffix) && isToGo(name) {
            unlink(folder.appendingPathComponent(name).path)
        }
    }
}
