internal import EventLog
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The disk space for data that clients have not read: a number of bytes for one answer, for one app, and in total.
final class SpillRoom: Sendable {
    let ofAnswer: Int
    private let ofApp: Int
    private let total: Int
    private let taken = Mutex<(all: Int, apps: [AppID: Int])>((0, [:]))

    /// - Parameter total: for all apps; half of it is for one.
    init(ofAnswer: Int, total: Int) {
        self.ofAnswer = ofAnswer
        self.total = total
        ofApp = total / 2
    }

    func take(_ bytes: Int, of app: AppID) -> Bool {
        taken.withLock { taken in
            let own = taken.apps[app, default: 0] + bytes
            guard taken.all + bytes <= total, own <= ofApp else { return false }
            taken.all += bytes
            taken.apps[app] = own
            return true
        }
    }

    func give(_ bytes: Int, of app: AppID) {
        taken.withLock { taken in
            taken.all -= bytes
            let own = taken.apps[app, default: 0] - bytes
            taken.apps[app] = own == 0 ? nil : own
        }
    }

    func share(of app: AppID) -> SpillShare {
        SpillShare(room: self, app: app)
    }
}

/// The share of one app in a room.
struct SpillShare: Sendable {
    fileprivate let room: SpillRoom
    fileprivate let app: AppID

    var ofAnswer: Int { room.ofAnswer }

    func take(_ bytes: Int) -> Bool { room.take(bytes, of: app) }

    func give(_ bytes: Int) { room.give(bytes, of: app) }
}

/// A file without a name. It disappears with its last reference, even if the process is killed.
final class SpillFile: Sendable {
    private let descriptor: Int32

    /// Nil if none can be created.
    init?() {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/notilog-answer-XXXXXX".utf8CString)
        descriptor = path.withUnsafeMutableBufferPointer { path in
            guard let path = path.baseAddress else { return -1 }
            let descriptor = mkstemp(path)
            if descriptor >= 0 {
                unlink(path)
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
            return descriptor
        }
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Writes bytes at an offset. False if the disk is full or fails.
    func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor,
                    bytes.baseAddress?.advanced(by: done),
                    bytes.count - done,
                    off_t(offset + done)
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    /// Reads bytes at an offset; nil if the disk fails.
    func read(_ count: Int, at offset: Int) -> [UInt8]? {
        var done = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while done < count {
                let more = pread(descriptor, buffer.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
                if more < 0, errno == EINTR { continue }
                guard more > 0 else { break }
                done += more
            }
            filled = done
        }
        return done == count ? bytes : nil
    }
}
