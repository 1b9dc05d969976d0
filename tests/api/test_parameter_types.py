"""How each kind of parameter is read, reader by reader: what it makes of a text, and that it fails in one way alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cambist.api.questions import parameter_types, symbol_parameters
from cambist.api.questions.parameters import Param
from cambist.api.questions.symbol_parameters import ANY_ASSET, MONEY, MONEY_AND_METALS
from cambist.errors import BadParameter, UnknownMetal, UnknownSymbol
from cambist.pricing.cross_rates import check_crossable
from cambist.pricing.pair import Pair
from cambist.reference.assets import COINS, METALS, AssetKind, kind_of
from cambist.reference.currency_tables import CURRENCIES
from cambist.reference.weights import UNITS

COIN, CURRENCY, METAL = AssetKind.COIN, AssetKind.CURRENCY, AssetKind.METAL
COINS_AT = ", a coin: coins are found at /fetch-one, /convert and /crypto/fetch-prices"
METALS_AT = ", a metal: metals are found at /fetch-one, /fetch-multi and /metals/spot"


def declare(reader: Callable[..., Param], *args: Any) -> Param:
    return reader("it", *args, description="", example="such")


PAIRS, INSTRUMENTS = declare(symbol_parameters.pairs), declare(symbol_parameters.instruments)
METAL_, UNIT, FLAG = (
    declare(symbol_parameters.metal),
    declare(parameter_types.unit),
    declare(parameter_types.flag),
)
TEXT, ASSET = declare(parameter_types.text), declare(symbol_parameters.asset, "target")
CODE = {kinds: declare(symbol_parameters.code, "target", kinds) for kinds in (MONEY, MONEY_AND_METALS, ANY_ASSET)}
CODES = {kinds: declare(symbol_parameters.codes, "target", kinds) for kinds in (MONEY, MONEY_AND_METALS, ANY_ASSET)}
ALL = [PAIRS, INSTRUMENTS, METAL_, UNIT, FLAG, TEXT, ASSET, *CODE.values(), *CODES.values()]


def value(param: Param, text: str) -> Any:
    return param.read({"it": text})


def refusal(param: Param, text: str) -> BadParameter:
    with pytest.raises(BadParameter) as refused:
        value(param, text)
    return refused.value


# Pairs


@pytest.mark.parametrize(
    "text",
    [
        "BTC/USD,ETH/BTC",
        "btc/usd,Eth/bTC",
        " BTC/USD , ETH/BTC ",
        "BTC / USD,ETH /BTC",
        ",BTC/USD,, ,ETH/BTC,",
        "BTC/USD,ETH/BTC,btc/usd,BTC/USD",
    ],
)
def test_pairs_keep_their_order_and_repeats_are_dropped(text: str) -> None:
    assert value(PAIRS, text) == (Pair("BTC", "USD"), Pair("ETH", "BTC"))


def test_a_pair_and_its_inverse_are_different_pairs() -> None:
    assert value(PAIRS, "BTC/USD,USD/BTC") == (Pair("BTC", "USD"), Pair("USD", "BTC"))


def test_unknown_codes_in_a_pair_are_left_to_the_endpoint() -> None:
    assert value(PAIRS, "zzz/1mbabydoge") == (Pair("ZZZ", "1MBABYDOGE"),)


@pytest.mark.parametrize("count", [1, 10, 11, 400])
def test_at_most_ten_pairs_are_accepted_not_counting_repeats(count: int) -> None:
    text = ",".join(f"C{at}/USD" for at in range(count))
    if count > 10:
        assert str(refusal(PAIRS, text)) == f"Too many pairs in [it]: [{count}], at most 10"
    else:
        assert len(value(PAIRS, text)) == len(value(PAIRS, f"{text},{text}")) == count


@pytest.mark.parametrize(
    "text", ["BTCUSD", "BTC/", "/USD", "/", "BTC/ ", "BTC/USD/EUR", "BTC//USD", "BTC/USD/", "ETH/BTC,X"]
)
def test_what_is_no_pair_is_refused_with_how_one_is_written(text: str) -> None:
    shown = text.rsplit(",", maxsplit=1)[-1].strip()
    assert str(refusal(PAIRS, text)) == f"Invalid it: [{shown}], a pair is written BASE/QUOTE, such as BTC/USD"


@pytest.mark.parametrize("text", ["\u0131nj/usd", "\uff22\uff34\uff23/usd"])
def test_a_letter_beyond_ascii_is_left_as_it_is(text: str) -> None:
    (pair,) = value(PAIRS, text)
    assert str(pair) == text


# Metals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("XAUUSD", ("XAUUSD",)),
        ("xauusd,XagEur", ("XAUUSD", "XAGEUR")),
        ("XAU/USD,xau%2Fusd,XAUUSD", ("XAUUSD", "XAU%2FUSD")),
        (", XAUXAG ,,XAU/XAG,", ("XAUXAG",)),
        ("nonsense", ("NONSENSE",)),
        ("\u0131", ("\u0131",)),
    ],
)
def test_instruments_are_read_with_or_without_a_slash(text: str, expected: tuple[str, ...]) -> None:
    assert value(INSTRUMENTS, text) == expected


def test_instruments_beyond_ten_are_left_to_the_endpoint() -> None:
    assert len(value(INSTRUMENTS, ",".join(f"XAU{at}" for at in range(40)))) == 40


@pytest.mark.parametrize("code", METALS)
def test_a_metal_is_read_in_any_case(code: str) -> None:
    assert (value(METAL_, code), value(METAL_, code.lower()), value(METAL_, f" {code} ")) == (code, code, code)


@pytest.mark.parametrize("text", ["XXX", "XAU,XAG", "GOLD", "EUR", "XAUT", "XAU-3M", "XA", "\u0131"])
def test_what_is_no_metal_is_refused_with_the_metals(text: str) -> None:
    refused = refusal(METAL_, text)
    options = "XAU, XAG, XPT, XPD, XAL, XCU, XPB, XNI, XZN"
    assert str(refused) == f"Invalid/unsupported metal: [{text}], options are [{options}], one in a request"
    assert type(refused) is UnknownMetal


@pytest.mark.parametrize("handle", UNITS)
def test_a_unit_is_read_in_any_case(handle: str) -> None:
    assert (value(UNIT, handle), value(UNIT, handle.upper()), value(UNIT, f" {handle} ")) == (handle, handle, handle)


@pytest.mark.parametrize("text", ["ounce", "oz", "oz t", "g", "gram,kilogram", "kilo", "\u212ailogram"])
def test_what_is_no_unit_is_refused_with_the_units(text: str) -> None:
    sentence = str(refusal(UNIT, text))
    assert sentence.startswith(f"Invalid it: [{text}]. Options are [")
    assert all(handle in sentence for handle in ("gram", "oz_t", "lb_av", "tola", "metric_tonne"))


@pytest.mark.parametrize("text", ["true", "1", "yes", "y", "TRUE", "Yes", "Y", " true "])
def test_these_set_a_flag(text: str) -> None:
    assert value(FLAG, text) is True


@pytest.mark.parametrize("text", ["maybe", "false", "0", "no", "n", "on", "t", "2", "truee", "", " ", "\uff11"])
def test_anything_else_does_not(text: str) -> None:
    assert value(FLAG, text) is False


def test_a_missing_flag_is_false() -> None:
    assert FLAG.read({}) is False


# Codes, and what they may be of


KNOWN = {"EUR": CURRENCY, "HRK": CURRENCY, "MNT": CURRENCY, "XAU": METAL, "XCU": METAL, "BTC": COIN, "T": COIN}
KNOWN |= {"OP": COIN, "1MBABYDOGE": COIN, "XAUT": COIN}


@pytest.mark.parametrize("kinds", CODE, ids=["money", "money and metals", "anything"])
@pytest.mark.parametrize(("symbol", "kind"), KNOWN.items())
def test_a_code_is_read_where_its_kind_has_a_place(kinds: frozenset[AssetKind], symbol: str, kind: AssetKind) -> None:
    if kind in kinds:
        assert value(CODE[kinds], symbol) == value(CODE[kinds], f" {symbol.lower()} ") == symbol
        assert value(CODES[kinds], f"{symbol},USD,{symbol.lower()}") == (symbol, "USD")
    else:
        where = COINS_AT if kind is COIN else METALS_AT
        listed = value(CODES[kinds], f"USD,{symbol},ZZZ")
        assert listed == ("USD",)
        for refused in (refusal(CODE[kinds], symbol), refusal(CODES[kinds], f"{symbol},ZZZ"), listed.unknown[0]):
            assert str(refused) == f"Invalid/unsupported target currency: [{symbol}]{where}"
            assert type(refused) is UnknownSymbol


@pytest.mark.parametrize("param", [ASSET, *CODE.values(), *CODES.values()])
@pytest.mark.parametrize("text", ["ZZZ", "zzz", "BTC/USD", "XAU-3M", "BTC\0", "b\u0131t", "\uff22\uff34\uff23"])
def test_an_unknown_code_is_refused_and_repeated_as_written(param: Param, text: str) -> None:
    assert str(refusal(param, text)) == f"Invalid/unsupported target currency: [{text}]"


@pytest.mark.parametrize("symbol", KNOWN)
def test_an_asset_may_be_anything(symbol: str) -> None:
    assert value(ASSET, symbol.lower()) == symbol


@pytest.mark.parametrize("param", CODES.values())
def test_a_list_holds_500_codes_at_most_repeats_left_out(param: Param) -> None:
    most = [*CURRENCIES, *(f"{number:03}" for number in range(501 - len(CURRENCIES)))]
    found = value(param, ",".join(most[:500] * 3))
    assert (found, len(found.unknown)) == (tuple(CURRENCIES), 500 - len(CURRENCIES))
    assert str(refusal(param, ",".join(most))) == "Too many currencies in [it]: [501], at most 500"


def test_unknown_codes_of_a_list_are_part_of_its_repr() -> None:
    assert repr(value(CODES[MONEY], "USD,ZZZ")) != repr(value(CODES[MONEY], "USD"))


# Nothing at all


@pytest.mark.parametrize(
    ("param", "what"), [(PAIRS, "pair"), (INSTRUMENTS, "instrument"), (CODES[MONEY], "currency code")]
)
@pytest.mark.parametrize("text", [",", " , ,", ",,,"])
def test_a_list_of_nothing_is_refused(param: Param, what: str, text: str) -> None:
    assert str(refusal(param, text)) == f"Missing parameter: [it] holds no {what}: [{text.strip()}]"


@pytest.mark.parametrize("param", [param for param in ALL if param is not FLAG])
@pytest.mark.parametrize("query", [{}, {"it": ""}, {"it": " \t"}, {"other": "EUR"}])
def test_a_missing_required_parameter_is_named(param: Param, query: dict[str, str]) -> None:
    with pytest.raises(BadParameter, match=r"^Missing parameter: \[it\], such as it=such$"):
        param.read(query)


# Coins against metals


@pytest.mark.parametrize(("coin", "metal"), [("BTC", "XAU"), ("USDT", "XCU"), ("XAUT", "XAU"), ("T", "XZN")])
def test_a_coin_and_a_metal_cannot_be_crossed(coin: str, metal: str) -> None:
    for base, quote in ((coin, metal), (metal, coin)):
        with pytest.raises(BadParameter) as refused:
            check_crossable(base, quote)
        assert str(refused.value).startswith(f"Coins are not priced in metals: [{base}] to [{quote}]; ")
        assert type(refused.value) is BadParameter


@pytest.mark.parametrize(
    ("base", "quote"), [*combinations(("EUR", "USD", "BTC", "ETH"), 2), ("XAU", "USD"), ("XAU", "XAG")]
)
def test_all_else_can(base: str, quote: str) -> None:
    for pair in ((base, quote), (quote, base), (base, base)):
        check_crossable(*pair)


# Whatever comes


SYMBOLS = st.sampled_from([*CURRENCIES, *METALS, *COINS, *UNITS, "ZZZ", "", " ", "\0", "\u0131", "\u00df", "\ufb01"])
PIECES = st.lists(st.one_of(SYMBOLS, st.sampled_from(["/", ",", " / ", ",,"])), max_size=40).map("".join)
TEXTS = st.one_of(st.text(), PIECES, PIECES.map(str.lower))


def read_or_refused(param: Param, text: str) -> Any:
    try:
        return value(param, text)
    except BadParameter as refused:
        sentence = str(refused)
        assert 0 < len(sentence) < 400
        return None


@pytest.mark.long(every=3)
@pytest.mark.parametrize("param", ALL)
@given(text=TEXTS)
@example(text="\ud800")
@example(text="A" * 20_000)
@example(text="/" * 20_000)
@example(text="," * 20_000)
def test_a_reader_reads_or_refuses_in_a_sentence_and_never_fails_otherwise(param: Param, text: str) -> None:
    read_or_refused(param, text)


@given(text=TEXTS)
def test_pairs_that_are_read_are_at_most_ten_different_ones_with_two_sides(text: str) -> None:
    found = read_or_refused(PAIRS, text)
    if found is not None:
        assert 1 <= len(found) == len(set(found)) <= 10
        for pair in found:
            assert all(side and side == side.strip() and not {"/", ","} & set(side) for side in (pair.base, pair.quote))
            assert str(pair) == (str(pair).upper() if str(pair).isascii() else str(pair))


@given(text=TEXTS)
def test_parsed_codes_are_of_the_declared_kinds(text: str) -> None:
    for kinds, param in CODES.items():
        found = read_or_refused(param, text)
        if found is not None:
            assert 1 <= len(found) == len(set(found)) <= 500
            assert {kind_of(symbol) for symbol in found} <= kinds


@given(text=TEXTS)
def test_a_metal_and_a_unit_that_are_read_are_of_the_tables(text: str) -> None:
    assert read_or_refused(METAL_, text) in {None, *METALS}
    assert read_or_refused(UNIT, text) in {None, *UNITS}
    assert read_or_refused(FLAG, text) in {True, False}


@given(text=TEXTS)
def test_instruments_that_are_read_have_no_slash_and_no_repeats(text: str) -> None:
    found = read_or_refused(INSTRUMENTS, text)
    if found is not None:
        assert len(found) == len(set(found))
        assert not any({"/", ","} & set(symbol) for symbol in found)
