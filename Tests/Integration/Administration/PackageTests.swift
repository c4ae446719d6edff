import Foundation
import Testing

/// What the Debian package says and installs, as far as the tree shows it; Tests/Package/check tries the package itself.
struct PackageTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: ProgramRun.repository().appendingPathComponent(path), encoding: .utf8)
    }

    @Test("The commands that an installation and an upgrade print are those of the documentation")
    func hints() throws {
        let lines = try text(".packaging/debian/postinst").components(separatedBy: "\n")
        let commands = lines.compactMap { line in line.range(of: "sudo ").map { String(line[$0.lowerBound...]) } }
        #expect(commands.count == 5)
        let documentation = try text("docs/deployment.md")
        for command in commands where !command.hasPrefix("sudo systemctl") {
            #expect(documentation.contains(command), "\(command)")
        }
        // A command without a login is one that nobody can run as it stands.
        #expect(!lines.contains { $0.hasPrefix("  notilog ") })
    }

    @Test("What is installed has the client for web push, and an image takes one package")
    func tree() throws {
        let makefile = try text("Makefile")
        #expect(makefile.contains("Sources/NotilogWebClient/notilog.js \"$(DESTDIR)$(PREFIX)/share/notilog/"))
        let removes = try #require(makefile.range(of: "rm -f \"$(PACKAGES)\"/notilog_*.deb"))
        let makes = try #require(makefile.range(of: "\t.packaging/deb "))
        #expect(removes.lowerBound < makes.lowerBound)
        #expect(try text(".packaging/Containerfile").contains("COPY notilog_*.deb "))
        #expect(try text("Tests/Package/check").contains("Depends | grep -i swift"))
    }
}
