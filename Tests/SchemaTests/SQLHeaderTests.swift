import Testing

@testable import Schema

@Suite("Schema: comments of SQL files")
struct SQLHeaderTests {
    @Test("a header is read up to the first line that is no comment; indented lines continue a field")
    func header() {
        let header = SQLHeader(
            """
            -- report: example
            -- purpose: On two lines: one
            --   and another.
            -- A line without a name continues nothing
            --
            -- reads: a, b,, c
            -- column: one | text | | First
            -- column: two | bigint | rows | Second\r
            SELECT 1;
            -- report: no header
            """
        )
        #expect(header["report"].map(\.text) == ["example"])
        #expect(header["purpose"].map(\.text) == ["On two lines: one and another."])
        #expect(header["reads"].map(\.names) == [["a", "b", "c"]])
        #expect(header["column"].map(\.cells) == [["one", "text", "", "First"], ["two", "bigint", "rows", "Second"]])
        #expect(header["filters"].isEmpty)
    }

    @Test("what precedes an object describes it, what follows a column on its line describes the column")
    func comments() {
        let sql = """
            -- About nothing in particular.

            -- What a row is,
            -- on two lines.
            --
            -- A second paragraph:
            -- - an item
            CREATE TABLE IF NOT EXISTS thing (
              id   integer NOT NULL,   -- drawn
              name text,
              PRIMARY KEY (id)
            );

            -- Parts ------------
            CREATE OR REPLACE FUNCTION thing_apply(after bigint)
            """
        let comments = SQLComments(sql, schema: "projection").all
        #expect(comments.map(\.object) == ["projection.thing", "projection.thing", "projection.thing_apply"])
        #expect(comments.map(\.column) == [nil, "id", nil])
        #expect(comments[0].text == "What a row is, on two lines.\n\nA second paragraph:\n- an item")
        #expect(comments[1].text == "drawn")
        #expect(comments[2].text.contains("to the projection thing"))
    }

    @Test("a migration's header says nothing of the object after it")
    func migration() {
        let sql = "-- oldest service: 7\n--\n-- What a row is.\nCREATE TABLE notilog.thing (\n);\n"
        #expect(SQLComments(sql, schema: nil).all.map(\.text) == ["What a row is."])
    }

    @Test("a report is described by its header, with its parameters and columns")
    func report() {
        let sql = """
            -- report: example
            -- purpose: What it
            --   is for.
            -- parameter: tz | zone | UTC | an IANA time zone | Whose dates
            -- filters: category, platform
            -- column: reached | bigint | notifications | Reached
            -- column: name | text | | Its name
            CREATE OR REPLACE FUNCTION report.example(
            """
        #expect(
            SQLComments(sql, schema: "report").all.map(\.text) == [
                """
                What it is for.

                Parameters:
                  tz (UTC): Whose dates. Accepts an IANA time zone
                  filters ({}): category, platform, each with an array of accepted values, null for none

                Columns:
                  reached, bigint, notifications: Reached
                  name, text: Its name
                """
            ]
        )
    }
}

@Suite("Schema: what the headers of reports share")
struct SharedFieldsTests {
    private let shared = SQLHeader(
        """
        -- list: inner | one, two
        -- list: outer | zero, $inner
        -- parameter: by | dimensions | zero | none, or one or two of $outer | What a row is
        -- parameter: tz | zone | UTC | an IANA time zone | Time zone
        """
    )

    private func filled(_ header: String) throws -> [String] {
        try SharedFields(shared).filled(SQLHeader(header), of: "reports/example.sql").fields.map(\.text)
    }

    @Test("a parameter's name stands for all of it, a description for its own, and a list's name for the list")
    func filling() throws {
        #expect(try filled("-- parameter: tz") == ["tz | zone | UTC | an IANA time zone | Time zone"])
        #expect(try filled("-- parameter: tz | Of weeks") == ["tz | zone | UTC | an IANA time zone | Of weeks"])
        #expect(
            try filled("-- parameter: by") == [
                "by | dimensions | zero | none, or one or two of zero, one, two | What a row is"
            ]
        )
        #expect(try filled("-- filters: $inner, three") == ["one, two, three"])
    }

    @Test("what a report says in full stays as it is")
    func own() throws {
        let own = "tz | zone | UTC | a zone | Zone"
        #expect(
            try filled("-- parameter: \(own)\n-- filters: tz\n-- purpose: It costs $1.") == [own, "tz", "It costs $1."]
        )
    }

    @Test("a list that nobody shares is refused, with its name and the file's")
    func unknown() {
        let error = #expect(throws: SchemaError.self) { try filled("-- filters: $outers") }
        #expect(error?.message.contains("sql/reports/example.sql") == true)
        #expect(error?.message.contains("$outers") == true)
    }
}
