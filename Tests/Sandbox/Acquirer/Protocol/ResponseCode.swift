/// The two characters of `respCode` and `origRespCode`.
struct ResponseCode: Hashable, Sendable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }
    init(stringLiteral text: String) { self.text = text }

    static let success: ResponseCode = "00"
    static let pending: ResponseCode = "05"
    static let badFormat: ResponseCode = "10"
    static let badSignature: ResponseCode = "11"
    static let duplicate: ResponseCode = "12"
    static let missingField: ResponseCode = "13"
    static let merchantState: ResponseCode = "31"
    static let noRight: ResponseCode = "32"
    static let noSuchTransaction: ResponseCode = "34"
    /// The original is missing, or its state does not allow what follows.
    static let originalState: ResponseCode = "35"
    /// What follows does not fit the original.
    static let originalMismatch: ResponseCode = "36"
    static let tooManyQueries: ResponseCode = "37"
    static let alreadyReturned: ResponseCode = "45"
    static let invalidCard: ResponseCode = "61"
    static let noSuchFile: ResponseCode = "98"

    /// Whether the cardholder's money has moved when this is a transaction's result.
    var movesMoney: Bool { ["00", "A6", "42", "74", "75"].contains(text) }

    /// `respMsg`: a text, then a seven-digit detail code in brackets.
    func message(about field: String = "") -> String {
        let number =
            switch text {
            case "00": "0000000"
            case "34": "2600000"
            default: "61000\(text)"
            }
        return "\(Self.messages[text] ?? "交易未成功")\(field)[\(number)]"
    }

    private static let messages = [
        "00": "成功", "A6": "有缺陷的成功", "03": "通讯超时", "04": "状态未明", "05": "已受理", "06": "系统忙", "10": "格式错误",
        "11": "验签失败", "12": "重复交易", "13": "要素缺失", "34": "查无此交易", "35": "原交易状态不符", "36": "与原交易不符", "37": "查询过频",
        "42": "扣款成功但超时",
        "45": "已退货或撤销",
        "60": "发卡行拒绝", "61": "卡号无效", "63": "卡状态不符", "64": "余额不足", "65": "密码或有效期有误", "67": "密码次数超限", "98": "文件不存在",
    ]
}
