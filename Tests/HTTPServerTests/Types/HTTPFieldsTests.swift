import OrchardHTTPTypes
import Testing

@Suite struct HTTPFieldsTests {
    @Test func namesAreComparedWithoutRegardToCase() {
        let fields: HTTPFields = ["Content-Type": "text/plain"]
        #expect(fields["content-TYPE"] == "text/plain")
        #expect(fields["content-typ"] == nil)
    }

    @Test func onlyLettersHaveTwoCases() {
        let fields: HTTPFields = ["a[b": "1"]
        #expect(fields["A{b"] == nil)
    }

    @Test func settingReplacesEveryFieldOfTheName() {
        var fields: HTTPFields = ["A": "1", "B": "2"]
        fields.append(name: "a", value: "3")
        fields.append(name: "C", value: "4")
        fields["a"] = "5"
        #expect(fields.map(\.name) == ["a", "B", "C"])
        #expect(fields.map(\.value) == ["5", "2", "4"])
        fields["b"] = nil
        #expect(fields.values("B").isEmpty)
    }

    @Test func aListIsReadOverAllItsFields() {
        var fields: HTTPFields = ["Accept": "a , b,"]
        fields.append(name: "accept", value: "\tc")
        #expect(fields.list("ACCEPT") == ["a", "b", "c"])
    }
}
