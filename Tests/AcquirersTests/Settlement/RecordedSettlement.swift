import Foundation

/// A day's file as an independent simulator of UnionPay made it, written in another language from the protocol alone: two
/// sales, one of them voided, a capture, voided too, a refund of a part, and a dispute.
enum RecordedSettlement {
    static let account = "777290058110048"

    /// What its `fileContent` decodes to.
    static var content: [UInt8] {
        [UInt8](Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data())
    }

    private static let text = """
        eNoL8GZmEWFgYOBgYIyviGUVOs9hxsjA4MbHwCALFPX08zMyMzQ0MrawiPKNNzc3N7I0MDC1MDQ0MDCxuDvNt6/ZgKf1u/JXvsjzp+oLH5VWN9/7
        ryeswXqKwVB3atQ9rY72qdNrjux047VknsjYosQgYPw4j6eBcaLESkn2pRkO+9dGnKwK/7iV7WQaY5HHzJIf79JOLBRpLk18/HP96QcBHM9/3/BR
        2BLvW6odEjc1w/irmdbSK2v8z0QEeck53X+64mPCfJUDabMSvh6tXLPpzxW/X1/vrH/9pXgto1vcgQ7VdYxucgdWcEVMqqueoPEwnPmaagGTWztL
        z9wGx5avwj22DYWiBnJ//ydlvmTRbn3wmfG1kAXjY2cmtbgDEtcYhfkTjPhvVBZM8bv92G1aJqNBJd+Gn5PLyw+occ5pOKnI2F199+Ai9g0RrD7u
        tzfXsCff4TWoUU+Y/S7h44SGl3G6QbYNmUDTc88XdT9Rj35Sk10vnzA7akmdckJ9AEqAV/3nN84E8kKBgS6HHuCu6CG+t8+Qj8mQh6Va5d8G06tV
        j4+Unf34X3/iYwF3laxlUaeze+UfnlgSoqKmsnfVLevJTTNnZZ6XeOV6N27Lwl9bTkR+4juvZeD4u/Dt3dq193+ybksVF/wdbHv2mT/nujnPkucc
        8+gNLv8hXP+8qpIJ1ZFOER/KBYAOzGCGODLIxcjA0ADiTgNDdEdODfL2ZjYU2Mf+Sb4qJ5HT2LNs8pf3Whr3lhy1XcMqv3Rb9PQoeREv/iRBF8c9
        HJeUbri2XoyMnnO55vMvtfhnn95W5BfMezvnLv/zmzVGq8u37yrn1TwVUV346UrJuZcMAtUuDK+Xamj/Nt+bGdzsJ7B14qMX3xZ1fPv8x/bVHhmb
        69b8gdU3Oy59vPpye7xZ7c+gnmkvd4TlzmIKYFBZ2rvJ8Oxio2/vq+6tF10kcv32zy37o222sfXIXvfp/lmyua03UXoKs2ZX4rdTFZa7bxqsZVqs
        HsD+dOa0+ae2X7qYZPv71eL/Z+cFyDRtWjNP63zZgvz1AVXCZj6Z5+xmyn7Lujptguuf9asL/7wS+i3MHCg3N7xRY72s1v5du/gDvBmZRJhx5zEY
        aGBkIJTj0I1CTz0IowoZCaUldLPQIxlhlhgToSgP8GZlA6llBsLHQDqJGcQDAJl/lMQ=
        """
}
