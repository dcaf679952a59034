/// A request that ends with this code and leaves no trace in the book.
struct Refusal: Error, Hashable {
    let code: ResponseCode
    /// The field that is to blame, where it is one.
    let field: String

    init(_ code: ResponseCode, _ field: String = "") {
        self.code = code
        self.field = field
    }
}
