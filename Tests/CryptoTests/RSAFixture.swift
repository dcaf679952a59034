/// An RSA key, and results that Python's cryptography made with it.
enum RSAFixture {
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDXoghuisfUOjmG
        Tx2inCJ0BwjYpLxlescJa4n3NmZJn2hI8ttF9MZjgpV6odXuUqZd8nI+vKtM1IBv
        GnrK+plMbv+IUg+8esB5SZRyyRTLCAmrL4LhPISQPY3aw/z/ZLeomNqSKZvLjDrF
        fUuKKBHLfRFvy2q84rU71mibZsTAQ1jdMV+QZSiunB1gURuh2OvgjHSP+ALesWgm
        +x62MCHvW6Z3qSG/NoP4vcrDtHJgJ61OT59i3xdHwoaal0jKHKqoHaRa6daSEXgp
        fy9Y0YKJDCjIlmOQGcc5YDYHhVdLPAtWne/sN2PDvOdmcUgfI73lnIaXxWmsGC5L
        CtwPUOKLAgMBAAECggEAF04I0UGohTRhwTVNw6RSSO31s8xiHCmf11HLEG/NsElN
        MQ0mS7I/usODOkTBZUeDeYXZeRRVAzG4S8m12bgp10vrzCTqVHmD0df09k7rM2JE
        AT9aStOKlDhC25DxB/0vqEYU4VUj5GTceTmob18TRUXYG5gFijKKWdQ7bAg4XXr2
        9PnKalQpfoFLyV60HEUJ1IbWEXmZlaLfhs/eawFl9FQlYQa0CjOcoftChtaBZBuo
        xHEgvMxDTWeYJisXVvEnx15tHD0xkTITr+fyfC2wl2ZajZMqb8HyDKUobrKaK52x
        Cnjm7qV/77DVNiyU+BdQMjnGRdeOYVUTpu7lR/cWKQKBgQD8tC1o+6Ijq+SLarEY
        b6xEisItvVEKfT23u73+q1r27S8v4B9gDTTGO1UU6Hz63vG0Vw30WNFuc/TRoN+Z
        zDCamEKVgZVvSMlQ6RGylQY0AHTU51B+4UCI85L18s6LgfW3Tkzg7soqLB3u2zjR
        o/6zlKdIiUL8g0LxOy2hMHUrbwKBgQDachHBcl55+yJ4YeQyXQjVG5N2aWqJhZ1I
        oMCISG1CONqutzJAmK7oXfWmM/I+s7yb93DmfzqCWOKmWJ66A6akchWqGD5TwUoA
        N82BPfNlxSsnWsJntCXWRKyAh2Tmqyw1mCGWnUVf3FZBQ1b/lTGJDMHmyRXPHFjf
        FxKtctBcpQKBgFgda4gj1hGiKnsCpOXkaqkryTGxxcRmj1K1wDZBAeMAKWgEOmx/
        rltA7RXxS0Me4iEECfWd0sk03bUK52z1ai090lnXaYf4VVpFKsqedB9F2XczgTn8
        yUf3xtLD64lxs4BLaTs1iIDUCUv0XQecq39q4jnEwvrRulHrVKnT/8c5AoGBAKBk
        URUw3J3D/7NUbTFtjiarcMLo9Ai1yp6hKbznMRIGnMrcSFGVyhdjphK64YuYfUwn
        iwYzNMqwaPqq5yC9vYXRHocd9eWZbrRqRMI4spZvBxiGU2fBpmaFVgOpZjTYSkWv
        xjnIkD+qkMqqnx5adVyjuVuzGghQUBC96EDipIrhAoGBAPdt/R4RZ/WuIzDWYWr4
        2D/ImlBHVk9Fo5zeoOOtjNDSFRCZv2K5Cn721h6qKXFNy+xQOU53pTVP4NScabQl
        3SGpLSP3GC1nfJBA398mOp8L70BV1cTwytnfVRb8QJfBmHHavyj/wSWlc975/uSP
        hYX64vdB33mpa55V6V+i569q
        -----END PRIVATE KEY-----
        """

    static let signature =
        "jSN2RBpOTIXkU4kH1crJdmvXRT1B91dCshwvmy0agb3rlXzxpLpRjzLPP9QaCuRdE2Ks3915oWXRXOLGt+ZyUcE29v8L/nI1"
        + "2RKD4g+7b+m6b3DgRVBcPqBcFIAQuktQzcLkiI7JfCyIdi/M2t1a+eA5kFEz+nMFaMYePlA1FC7IIyRD1F38HdUdfLVSzsqu"
        + "KxgM/SVXX8IkMDOL2v8T1Oho0deBWIOfjyxdXo5k1f9nje/Z0I0j95kNIPEbQ5x+aj+3i8FHwMIeCJEPcErfoZdvC6BaYLvz"
        + "Qe3iSPlKE1+IVQqikt73APS5k0j4UgpvuAiRGDGlhw4gRA/Z/R1Ilg=="

    static let oaep =
        "xdPSlpIePJWgHc7QTtwPS5z55kmy2O7hhkATXLcRQ/siUdQzZtg37AQ9TlQMHPB4FDJXGzl0cg7A93gMpCib4bWgDQ7BAkPB"
        + "66pRsHkKLcQjps2dtan+DVG8QxIJaBoma+buzi0XiYdrsll15xu3aJKLmQstlg9zd3G9ctECP9DLcN3CnHEtuh+OvqVcrZ3d"
        + "qurV4aVNWLvyG6iyAgtB7dp3rSeDdzkIRKxykV0XQtnDWFeGJEiE8c9bLm4dXRTMRXIasgJt5RY4gv4uEnBDMIdxDBVQmtIE"
        + "XjXaITPc6H/tuk3XUkBb6NQyzL0Q/wu9qwgZvW95G9Ew3KVJYCYmyg=="

    static let oaepWithMGF1SHA1 =
        "dTxMkXQRD5W1JMox7RCMQHu9Tt0rsgKOZeNiTWlTAhWJ1ujWqctDiZQrNpPmccQHZ2mYKsfATnmgKQGrJ+XwH8LUdQFpTk8H"
        + "LrnN3JhuxNTVygoTrP4ntOP7I3fqOriQeJ3CZTEXlV7t4F3Ca5wm7s5YzWPHMAlqJtv+dm90bUNQHezo4dipPibXxmLQF+qL"
        + "gfHw43Vrwxb9m+nHzAFM31JktBSNt1lkCQhSNjcWuQj6N4d01Dkvqz5kOUz9vrCsSLE1A6gOTxdW4DZhbxPReYTH/YeVbzYc"
        + "Aqq9P/Jb62TeexchaVIS/ZeSe8PK3F7ONq+eWFS+XCe4cAtTcGt1vA=="

    static let oaepWithLabel =
        "hRwU32vX1PAwrkjzV6PA5yEecNWXqF6VleVXqP6Yo2jfum7z+A3BJnloaOOynB2bA5Gca1GyzdgJLFTOqGua9gCWXWkGqrH2"
        + "b41cq9ktO4JUHo/oJh/02HbYHlYdGXOay6up/c1Jb9Ka0Casd99yQuWWy86v3BKpdDx2z/B8uYp6P58VLmes7zvBFLEzoyeq"
        + "5N/e000OWyuIy2Rpd1EiNVq7Y1uJlM8q2czndpPCp/nEBEJw6jBJeLR5NWEgD4Kc/E83HHZrzde5RUxjXfaPDUdZXd4NMGOO"
        + "te1u0TEDuGUAVGgy35NYEpYmEaMYhYUTs+4gUNxXyPz0+R2l6PJMGQ=="
}
