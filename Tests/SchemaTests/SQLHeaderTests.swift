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
