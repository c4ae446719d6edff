import Foundation
import Testing

@testable import NotilogClient

@Suite("Privacy")
struct PrivacyTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    private func manifest() throws -> [String: Any] {
        let data = try Data(contentsOf: Self.sources.appendingPathComponent("NotilogClient/PrivacyInfo.xcprivacy"))
        return try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    }

    @Test("the manifest tracks nobody, and says what is collected")
    func collected() throws {
        let manifest = try manifest()
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        let collected = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        #expect(
            collected.map { $0["NSPrivacyCollectedDataType"] as? String } == [
                "NSPrivacyCollectedDataTypeDeviceID", "NSPrivacyCollectedDataTypeProductInteraction",
                "NSPrivacyCollectedDataTypeOtherDiagnosticData",
            ]
        )
        #expect(collected.allSatisfy { $0["NSPrivacyCollectedDataTypeLinked"] as? Bool == true })
        #expect(collected.allSatisfy { $0["NSPrivacyCollectedDataTypeTracking"] as? Bool == false })
    }

    /// Apple, "Describing use of required reason API": names that an upload is searched for.
    private static let namesWithReasons = [
        "NSPrivacyAccessedAPICategoryFileTimestamp": [
            "stat", "fstat", "lstat", "fstatat", "getattrlist", "fgetattrlist", "getattrlistbulk", "getattrlistat",
            "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey", "creationDateKey",
        ],
        "NSPrivacyAccessedAPICategorySystemBootTime": ["systemUptime", "mach_absolute_time"],
        "NSPrivacyAccessedAPICategoryDiskSpace": [
            "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey", "volumeTotalCapacityKey",
            "systemFreeSize", "systemSize", "statfs", "statvfs", "fstatfs", "fstatvfs",
        ],
        "NSPrivacyAccessedAPICategoryActiveKeyboards": ["activeInputModes"],
        "NSPrivacyAccessedAPICategoryUserDefaults": ["UserDefaults"],
    ]

    @Test("the manifest names each sort of API that needs a reason, and none that is not called")
    func reasons() throws {
        var words: Set<String> = []
        for target in ["NotilogClient", "NotificationEvents"] {
            let folder = Self.sources.appendingPathComponent(target)
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    words.formUnion(line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
                }
            }
        }
        #expect(words.contains("FileQueue"))
        let called = Self.namesWithReasons.filter { !words.isDisjoint(with: $0.value) }.keys
        let told = try #require(try manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        #expect(Set(told.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }) == Set(called))
        #expect(told.allSatisfy { ($0["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false })
    }

    @Test("the queue's files open from the first unlock on, and for the app's own user alone")
    func protection() async throws {
        let found = FileProtection.attributes[.protectionKey] as? FileProtectionType
        #expect(found?.rawValue == FileProtectionType.completeUntilFirstUserAuthentication.rawValue)
        try await withFolder { folder in
            let queue = Notilog.FileQueue(folder: folder)
            let isQueued = try queue.append([.sample(0)])
            let id = try queue.deviceID()
            #expect(isQueued && !id.isEmpty)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
                #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0, "\(name)")
            }
        }
    }
}
