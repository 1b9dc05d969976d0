"""Fineness: stamps mean what the trade means by them, any other number is taken as it is, the rest is refused."""

import decimal
from decimal import Context, Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.errors import BadParameter
from cambist.pricing.metals.fineness import CUSTOM, PURE, parse_purity
from cambist.reference.weights import PURITIES, Purity

METALS = st.sampled_from(list(PURITIES))


@pytest.mark.parametrize(("metal", "purity"), [(metal, one) for metal in PURITIES for one in PURITIES[metal]])
def test_every_code_stands_for_its_purity(metal: str, purity: Purity) -> None:
    assert parse_purity(metal, purity.code) is purity


@pytest.mark.parametrize(
    ("metal", "code", "name", "fineness"),
    [
        ("XAU", "916", "22 carat", "916.7"),
        ("XAU", "417", "10 carat", "416.7"),
        ("XAU", "9999", "24 carat four nines", "999.9"),
        ("XAG", "958", "Britannia silver", "958.4"),
        ("XAG", "925", "Sterling silver", "925"),
        ("XPT", "9995", "Good Delivery minimum", "999.5"),
    ],
)
def test_a_stamp_is_priced_by_the_fineness_that_it_means(metal: str, code: str, name: str, fineness: str) -> None:
    assert parse_purity(metal, code) == Purity(code, name, Decimal(fineness))


@pytest.mark.parametrize(
    ("metal", "text"),
    [
        ("XAU", "916.67"),
        ("XAU", "916.7"),
        ("XAU", "1"),
        ("XAU", "1.0"),
        ("XAU", "1000"),
        ("XAU", "1000.000"),
        ("XAU", "999.99999999999999999999"),
        ("XAG", "916"),
        ("XPT", "417"),
        ("XPD", "750"),
        ("XAU", "925"),
    ],
)
def test_a_number_that_is_no_code_of_the_metal_is_a_custom_fineness(metal: str, text: str) -> None:
    assert parse_purity(metal, text) == Purity(text, "custom", Decimal(text))
    assert str(parse_purity(metal, text).fineness) == text


@given(METALS, st.integers(1, 999), st.text("0123456789", min_size=1, max_size=20))
def test_any_decimal_fineness_is_read_with_every_digit(metal: str, whole: int, decimals: str) -> None:
    text = f"{whole}.{decimals}"
    purity = parse_purity(metal, text)
    assert (purity.code, purity.name, str(purity.fineness)) == (text, CUSTOM, text)


BAD = [
    "",
    "0",
    "0.9",
    "0.99999999999999999999",
    "1000.1",
    "1000.00000000000000000001",
    "1001",
    "9998",
    "11111",
    "00750",
    "abc",
    "24K",
    "24k",
    "18 carat",
    "-1",
    "-750",
    "+750",
    "1e3",
    "1E2",
    "750.",
    ".5",
    " 750",
    "750 ",
    "750\n",
    "75_0",
    "750,5",
    "750/1000",
    "NaN",
    "Infinity",
    "0x2ee",
    "\u0667\u0665\u0660",
    "1." + "1" * 21,
]


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("metal", PURITIES)
def test_anything_else_is_refused_with_the_codes_that_there_are(metal: str, text: str) -> None:
    with pytest.raises(BadParameter) as refused:
        parse_purity(metal, text)
    codes = ", ".join(one.code for one in PURITIES[metal])
    assert str(refused.value) == (
        f"Invalid purity: [{text}]. Options for {metal} are [{codes}], or a fineness from 1 to 1000, "
        "in parts per thousand"
    )


def test_the_codes_are_those_of_the_metal_that_was_asked_for() -> None:
    with pytest.raises(BadParameter, match=r"\[24K\]\. Options for XPD are \[9995, 999, 950, 500\], or a fineness"):
        parse_purity("XPD", "24K")


def test_a_long_text_is_not_echoed_whole() -> None:
    with pytest.raises(BadParameter, match=r"^Invalid purity: \[x{64}… 5000 characters\]\.") as refused:
        parse_purity("XAU", "x" * 5000)
    assert len(str(refused.value)) < 400


@given(METALS, st.text(max_size=12) | st.from_regex(r"[0-9]{0,5}\.?[0-9]{0,3}", fullmatch=True))
def test_any_text_is_a_fineness_from_1_to_1000_or_refused(metal: str, text: str) -> None:
    try:
        purity = parse_purity(metal, text)
    except BadParameter as refused:
        assert "Invalid purity: [" in str(refused)  # noqa: PT017  both ways out are right
    else:
        assert 1 <= purity.fineness <= 1000
        assert purity.code == text


def test_the_pure_metal_is_a_thousand_parts_and_no_stamp() -> None:
    assert Purity("1000", "pure", Decimal(1000)) == PURE
    assert PURE.code not in {one.code for purities in PURITIES.values() for one in purities}
    assert PURE.name != CUSTOM == "custom"


@pytest.mark.parametrize("text", ["916", "916.6666666667", "1000.0000001", "0.99999"])
def test_the_ambient_context_changes_no_fineness(text: str) -> None:
    def outcome() -> str:
        try:
            return str(parse_purity("XAU", text))
        except BadParameter as refused:
            return str(refused)

    expected = outcome()
    with localcontext(Context(prec=3, traps=[decimal.Inexact, decimal.Rounded])) as context:
        before = repr(context)
        assert outcome() == expected
        assert repr(context) == before
