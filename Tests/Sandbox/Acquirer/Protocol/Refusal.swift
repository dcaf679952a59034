/// A request that ends with this code and leaves no trace in the book.
struct Refusal: Error, Hashable {
    let code: ResponseCode
    /// The wrong field, if the cause is a field.
    let field: String

    init(_ code: ResponseCode, _ field: String = "") {
        self.code = code
        self.field = field
    }
}
