/// The codes of currencies (ISO 4217), in the order of the alphabet: a code of any other three letters would make a sum of
/// its own that no one can read.
///
/// Foundation's list is that of the machine's ICU, so two services could differ. Codes withdrawn since 2021 stay, for events
/// of before. An event with a newer one than these is in quarantine until a release has it.
public enum Currency {
    /// The code as a number whose order is that of the alphabet.
    private static let codes: [UInt32] = """
        AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND \
        BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU \
        CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS \
        GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD \
        JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL \
        MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR \
        NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG \
        SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY \
        TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF \
        XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER \
        ZAR ZMW ZWG ZWL
        """.split(separator: " ").map { number($0.utf8) }

    /// Whether it is the code of a currency.
    public static func isCode(_ text: some Collection<UInt8>) -> Bool {
        guard text.count == 3 else { return false }
        let code = number(text)
        var (from, to) = (0, codes.count)
        while from < to {
            let middle = (from + to) / 2
            if codes[middle] < code { from = middle + 1 } else { to = middle }
        }
        return from < codes.count && codes[from] == code
    }

    private static func number(_ text: some Collection<UInt8>) -> UInt32 {
        text.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
