"""The decimals that the amounts of a currency have (ISO 4217), and rounding to them."""

from __future__ import annotations

from decimal import MAX_PREC, ROUND_HALF_UP, Context, Decimal

from cambist.client.call import Amount, write_value

_CODES = {
    0: (
        "ADP BEF BIF BYB BYR CLP DJF ESP GNF GRD ISK ITL JPY KMF KRW LUF MGF PTE PYG RWF SML TRL UGX UYI VAL VND VUV "
        "XAF XOF XPF"
    ),
    2: (
        "AED AFA AFN ALL AMD ANG AOA AOK AON AOR ARA ARL ARM ARP ARS ATS AUD AWG AZM AZN BAD BAM BAN BBD BDT BGL BGN "
        "BMD BND BOB BOP BRB BRC BRE BRL BRN BRR BRX BSD BTN BUK BWP BYN BZD CAD CDF CHF CLE CNH CNY COP COU CRC CSD "
        "CSK CUC CUP CVE CYP CZK DDM DEM DKK DOP DZD ECS EEK EGP ERN ETB EUR FIM FJD FKP FOK FRF GBP GEK GEL GGP GHC "
        "GHS GIP GMD GNS GQE GTQ GWE GWP GYD HKD HNL HRD HRK HTG HUF HUX IDR IEP ILP ILR ILS IMP INR IRR ISJ JEP JMD "
        "KES KGS KHR KID KPW KYD KZT LAK LBP LKR LRD LSL LTL LTT LVL LVR MAD MCF MDC MDL MGA MKD MKN MLF MMK MNT MOP "
        "MRO MRU MTL MUR MVP MVR MWK MXN MXP MXV MYR MZE MZM MZN NAD NGN NIC NIO NLG NOK NPR NZD PAB PEI PEN PES PGK "
        "PHP PKR PLN PLZ QAR RHD ROL RON RSD RUB RUR SAR SBD SCR SDD SDG SDP SEK SGD SHP SIT SKK SLE SLL SOS SRD SRG "
        "SSP STD STN SUR SVC SYP SZL THB TJR TJS TMM TMT TOP TPE TRY TTD TVD TWD TZS UAH UAK UGS USD UYN UYP UYU UZS "
        "VEB VED VEF VES VNN WST XCD XCG XEU YER YUD YUG YUM YUN YUO YUR ZAR ZMK ZMW ZRN ZRZ ZWD ZWG ZWL ZWN ZWR"
    ),
    3: "BHD IQD JOD KWD LYD OMR TND YDD",
    4: "CLF UYW",
}
"""The codes of currencies by the number of their decimals; coins and metals have none."""

_MINOR_UNITS = {code: units for units, codes in _CODES.items() for code in codes.split()}

_EXACT = Context(prec=MAX_PREC)


def minor_units(code: str) -> int:
    """Return the number of decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. Errors: ValueError for others."""
    found = _MINOR_UNITS.get(code.strip().upper())
    if found is None:
        raise ValueError(f"[{code}] is no currency with minor units: round it to decimals of your choice")
    return found


def round_to_currency(amount: Amount, code: str, rounding: str = ROUND_HALF_UP) -> Decimal:
    """Return an amount with the decimals of a currency, halves rounded away from zero; `rounding` is one of `decimal`.

    A rounding to coins that people pay cash with, such as five Rappen, is another. Errors: ValueError.
    """
    exact = Decimal(write_value(amount))
    return exact.quantize(Decimal(1).scaleb(-minor_units(code)), rounding, _EXACT)
