extension SheetTexts {
    static let chinese = SheetTexts(
        subtotal: "小计", discount: "优惠", shipping: "运费", tax: "税费",
        payee: { "\($0)（由\($1)收款）" },
        addressUnserviceable: "该地址不在配送范围内。",
        addressChanged: "寄往该地址的运费不同，请重新选择地址。",
        couponCodeInvalid: "此优惠码不适用于该订单。",
        couponCodeExpired: "此优惠码已过期。",
        cardTypeNotAccepted: "该订单不支持此类银行卡，请选择其他卡。",
        cardNotAccepted: "该订单不支持这张卡，请选择其他卡。",
        nameMissing: "请输入姓名。",
        phoneticNameMissing: "请输入姓名的拼音。",
        phoneMissing: "请输入电话号码。",
        emailMissing: "请输入电子邮件地址。",
        countryMissing: "请选择地址所在的国家或地区。",
        streetMissing: "请输入街道地址。",
        cityMissing: "请输入城市。",
        orderTaken: "该订单正在支付或已关闭。",
        declined: "支付被拒绝，您未被扣款。",
        confirming: "正在确认您的付款。",
        holdEnded: "预授权已结束，您未被扣款。")
}
