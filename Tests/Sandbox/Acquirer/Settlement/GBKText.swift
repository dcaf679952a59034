/// Text in GBK, the encoding of UnionPay's summaries. It knows the characters that the summary has.
enum GBKText {
    static func encode(_ text: String) -> [UInt8] {
        text.flatMap { character -> [UInt8] in
            // A line's end is one character in Swift.
            if character == "\r\n" { return [0x0D, 0x0A] }
            if let ascii = character.asciiValue { return [ascii] }
            let code = codes[character] ?? 0xA1F6
            return [UInt8(code >> 8), UInt8(code & 0xFF)]
        }
    }

    private static let codes: [Character: UInt16] = [
        "代": 0xB4FA, "借": 0xBDE8, "商": 0xC9CC, "型": 0xD0CD, "完": 0xCDEA, "总": 0xD7DC, "成": 0xB3C9, "户": 0xBBA7,
        "授": 0xCADA, "撤": 0xB3B7, "数": 0xCAFD, "日": 0xC8D5, "期": 0xC6DA, "权": 0xC8A8, "汇": 0xBBE3, "沙": 0xC9B3,
        "消": 0xCFFB, "清": 0xC7E5, "用": 0xD3C3, "盒": 0xBAD0, "码": 0xC2EB, "笔": 0xB1CA, "算": 0xCBE3, "类": 0xC0E0,
        "联": 0xC1AA, "计": 0xBCC6, "货": 0xBBF5, "贷": 0xB4FB, "费": 0xB7D1, "退": 0xCDCB, "金": 0xBDF0, "银": 0xD2F8,
        "销": 0xCFFA, "预": 0xD4A4, "额": 0xB6EE,
    ]
}
