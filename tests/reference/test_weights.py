"""Units, purities and grades: against figures that were written down independently, and refused where a row is broken.

The figures are those of the agreement of 1959, of hallmarking and of the exchanges' contracts.
"""

import csv
import re
from decimal import Decimal
from fractions import Fraction
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cambist.reference import weights
from cambist.reference.assets import METALS, MetalKind
from cambist.reference.table_loader import Table
from cambist.reference.weights import GRADES, PURITIES, UNITS, Grade, Purity, Unit, purities_of

KINDS = {kind: [code for code, metal in METALS.items() if metal.kind is kind] for kind in MetalKind}

# Grams of every unit, as the interface lists them.
IN_GRAMS = """
    gram 1, kilogram 1000, metric_tonne 1000000, grain 0.06479891, pennyweight 1.55517384, oz_t 31.1034768,
    lb_t 373.2417216, oz_av 28.349523125, lb_av 453.59237, tael 37.429, baht 15.244, tola 11.6638038
"""

# Stamps and, where they are not the same digits, the fineness that is meant; the finest first.
STAMPS = {
    "XAU": """9999=999.9 999 995 990 965 958=958.3 916=916.7 900 875 833=833.3 800 750 625 585 500 417=416.7 375
        333=333.3""",
    "XAG": "9999=999.9 999 980 958=958.4 950 925 900 835 830 800",
    "XPT": "9995=999.5 999 950 900 850 585 500",
    "XPD": "9995=999.5 999 950 500",
}

CONTRACTS = {
    "XAL": ("high_grade_primary", "High Grade Primary Aluminium", "99.70"),
    "XCU": ("grade_a", "Copper Grade A cathode", "99.9935"),
    "XPB": ("standard_lead", "Standard Lead (refined pig)", "99.97"),
    "XNI": ("primary_nickel", "Primary Nickel", "99.80"),
    "XZN": ("special_high_grade", "Special High Grade Zinc", "99.995"),
}


def raw(file: str) -> list[dict[str, str]]:
    text = (resources.files("cambist.reference") / file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


# Units


def test_the_units_are_these_in_the_order_of_the_interface() -> None:
    listed = [(handle, Decimal(grams)) for handle, grams in map(str.split, IN_GRAMS.split(","))]
    assert [(handle, unit.grams) for handle, unit in UNITS.items()] == listed
    assert [unit.handle for unit in UNITS.values()] == list(UNITS)


def test_every_imperial_unit_is_whole_grains_and_a_grain_is_64_79891_milligrams() -> None:
    grain = Fraction("64.79891") / 1000
    grains = {"grain": 1, "pennyweight": 24, "oz_t": 480, "lb_t": 5760, "oz_av": 437.5, "lb_av": 7000, "tola": 180}
    assert {handle: Fraction(UNITS[handle].grams) / grain for handle in grains} == grains


def test_every_unit_has_a_name_of_its_own_and_an_authority() -> None:
    names = [unit.name for unit in UNITS.values()]
    assert len(set(names)) == len(names) == 12
    assert all(re.search("[a-z]{3}", row["authority"]) for row in raw("units.csv"))
    assert (UNITS["oz_t"].name, UNITS["oz_av"].name, UNITS["lb_t"].name) == (
        "Troy ounce",
        "Avoirdupois ounce",
        "Troy pound",
    )


def test_every_metal_is_priced_by_a_unit_that_there_is() -> None:
    assert {metal.unit for metal in METALS.values()} <= UNITS.keys()


# Purities


def test_each_precious_metal_has_purities_and_no_other() -> None:
    assert list(PURITIES) == KINDS[MetalKind.PRECIOUS] == ["XAU", "XAG", "XPT", "XPD"]


@pytest.mark.parametrize("metal", STAMPS)
def test_stamps_and_what_they_mean_are_these(metal: str) -> None:
    listed = [stamp.partition("=") for stamp in STAMPS[metal].split()]
    assert [(one.code, one.fineness) for one in PURITIES[metal]] == [
        (code, Decimal(fineness or code)) for code, _, fineness in listed
    ]


@pytest.mark.parametrize("metal", STAMPS)
def test_the_finest_stands_first_and_no_code_or_name_stands_twice(metal: str) -> None:
    purities = PURITIES[metal]
    assert all(finer.fineness > coarser.fineness for finer, coarser in pairwise(purities))
    assert len({one.code for one in purities}) == len({one.name for one in purities}) == len(purities)
    assert all(0 < one.fineness < 1000 for one in purities)


def test_a_carat_is_a_24th_to_the_digit_that_is_stated() -> None:
    """But for pure gold, whose carats no assay reaches, and 14 carats, which hallmarks round up to 585."""
    carats = {}
    for one in PURITIES["XAU"]:
        named = re.match(r"([0-9.]+) carat", one.name)
        if named:
            carats[one.code] = Fraction(named[1])
    exact = {code: round(carat * 1000 / 24, 1) for code, carat in carats.items()}
    stated = {one.code: Fraction(one.fineness) for one in PURITIES["XAU"] if one.code in carats}
    assert {code for code in exact if exact[code] != stated[code]} == {"9999", "999", "585"}
    assert (carats["585"], exact["585"]) == (14, Fraction("583.3"))
    assert {code: str(carat) for code, carat in carats.items() if carat.denominator != 1} == {
        "900": "108/5",
        "800": "96/5",
    }
    assert len(carats) == 15


@pytest.mark.parametrize(
    ("metal", "code", "name"),
    [
        ("XAU", "995", "Good Delivery minimum"),
        ("XAU", "965", "Thai gold"),
        ("XAG", "958", "Britannia silver"),
        ("XAG", "925", "Sterling silver"),
        ("XAG", "900", "Coin silver"),
        ("XPT", "9995", "Good Delivery minimum"),
        ("XPD", "950", "950 palladium"),
    ],
)
def test_purities_have_their_names(metal: str, code: str, name: str) -> None:
    assert {one.code: one.name for one in PURITIES[metal]}[code] == name


# Grades


def test_each_base_metal_has_a_grade_and_no_other() -> None:
    assert list(GRADES) == KINDS[MetalKind.BASE] == ["XAL", "XCU", "XPB", "XNI", "XZN"]


def test_grades_are_those_of_the_contracts_digit_by_digit() -> None:
    assert {code: (one.handle, one.name, str(one.min_purity_pct)) for code, one in GRADES.items()} == CONTRACTS
    assert all(99 < one.min_purity_pct < 100 for one in GRADES.values())
    assert all(re.search("[A-Z0-9]{3}", row["standard"]) for row in raw("grades.csv"))


# Reading


HEADERS = {
    "units": "handle,name,grams,authority",
    "purities": "metal,code,name,fineness",
    "grades": "metal,handle,name,min_purity_pct,standard",
}
SOUND = {
    "units": "gram,Gram,1,International System of Units",
    "purities": "XAU,750,18 carat,750",
    "grades": "XCU,grade_a,Copper Grade A cathode,99.9935,Cu-CATH-1",
}
TABLES: dict[str, Table[Any]] = {
    "units": weights.UNIT_TABLE,
    "purities": weights.PURITY_TABLE,
    "grades": weights.GRADE_TABLE,
}
NO_DECIMALS = ["0", "0.000", "-1", "+1", "1e3", "1E-3", "1_000", "1/2", ".5", "1.", "one", "NaN", "Infinity"]
NO_DECIMALS += ["", "\u0661"]


def read(table: str, *lines: str, header: str | None = None) -> Any:
    return TABLES[table].parse("\n".join([header or HEADERS[table], *lines]))


def test_sound_rows_are_read() -> None:
    assert read("units", SOUND["units"]) == (Unit("gram", "Gram", Decimal(1), "International System of Units"),)
    assert purities_of(read("purities", SOUND["purities"])) == {"XAU": (Purity("750", "18 carat", Decimal(750)),)}
    assert read("grades", SOUND["grades"]) == (
        Grade("XCU", "grade_a", "Copper Grade A cathode", Decimal("99.9935"), "Cu-CATH-1"),
    )


@pytest.mark.parametrize(
    ("table", "line", "field"),
    [
        ("units", "Gram,Gram,1,SI", "handle"),
        ("units", "oz-t,Ounce,31,SI", "handle"),
        ("units", "oz_,Ounce,31,SI", "handle"),
        ("units", "oz2,Ounce,31,SI", "handle"),
        ("units", ",Gram,1,SI", "handle"),
        ("units", " gram,Gram,1,SI", "handle"),
        ("units", "gram,,1,SI", "name"),
        ("units", "gram,Gram ,1,SI", "name"),
        ("units", "gram,Gram, 1,SI", "grams"),
        ("units", "gram,Gram,1,", "authority"),
        ("units", "gram,Gram,1, SI", "authority"),
        ("units", "gram,Gram,1", "row"),
        ("units", "gram,Gram,1,SI,more", "row"),
        ("purities", "XXX,750,18 carat,750", "metal"),
        ("purities", "EUR,750,18 carat,750", "metal"),
        ("purities", "xau,750,18 carat,750", "metal"),
        ("purities", ",750,18 carat,750", "metal"),
        ("purities", "XCU,999,Pure copper,999", "metal"),
        ("purities", "XAU,75,18 carat,750", "code"),
        ("purities", "XAU,75000,18 carat,750", "code"),
        ("purities", "XAU,0750,18 carat,750", "code"),
        ("purities", "XAU,18K,18 carat,750", "code"),
        ("purities", "XAU,,18 carat,750", "code"),
        ("purities", "XAU,752,18 carat,750", "code"),
        ("purities", "XAU,748,18 carat,750", "code"),
        ("purities", "XAU,585,14 carat,583.3", "code"),
        ("purities", "XAU,9999,24 carat,999", "code"),
        ("purities", "XAU,999,24 carat,99.9", "code"),
        ("purities", "XAU,1200,More than pure,1200", "code"),
        ("purities", "XAU,750,,750", "name"),
        ("purities", "XAU,750, 18 carat,750", "name"),
        ("purities", "XAU,750,18 carat", "row"),
        ("grades", "XXX,grade_a,Copper,99.9,Law", "metal"),
        ("grades", "XAU,grade_a,Gold,99.9,Law", "metal"),
        ("grades", "XCU,Grade A,Copper,99.9,Law", "handle"),
        ("grades", "XCU,,Copper,99.9,Law", "handle"),
        ("grades", "XCU,grade_a,,99.9,Law", "name"),
        ("grades", "XCU,grade_a,Copper,99.9,", "standard"),
        ("grades", "XCU,grade_a,Copper,99.9", "row"),
        *(("units", f"gram,Gram,{number},SI", "grams") for number in NO_DECIMALS),
        *(("purities", f"XAU,750,18 carat,{number}", "fineness") for number in NO_DECIMALS),
        *(("grades", f"XCU,grade_a,Copper,{number},Law", "min_purity_pct") for number in NO_DECIMALS),
    ],
)
def test_a_broken_row_names_its_file_line_and_field(table: str, line: str, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{table}\.csv, line 2, {field}: "):
        read(table, line)


@pytest.mark.parametrize(("code", "fineness"), [("926", "925"), ("924", "925"), ("9998", "999.9"), ("9990", "999.1")])
def test_a_stamp_that_is_another_figure_than_the_fineness_cut_or_rounded_is_refused(code: str, fineness: str) -> None:
    with pytest.raises(ValueError, match=r"^purities\.csv, line 2, code: "):
        read("purities", f"XAG,{code},Sterling silver,{fineness}")


@pytest.mark.parametrize(
    ("code", "fineness"), [("916", "916.7"), ("917", "916.7"), ("333", "333.3"), ("9999", "999.9"), ("9995", "999.5")]
)
def test_a_stamp_is_the_fineness_cut_or_rounded(code: str, fineness: str) -> None:
    assert purities_of(read("purities", f"XAU,{code},Gold,{fineness}")) == {
        "XAU": (Purity(code, "Gold", Decimal(fineness)),)
    }


@pytest.mark.parametrize(
    ("table", "line", "error"),
    [
        ("units", "gram,Another gram,2,SI", r"handle: gram stands here twice$"),
        ("purities", "XAU,750,Again,750", r"fineness: 750 is not below the one above it: the finest stands first$"),
        ("purities", "XAU,800,Finer,800", r"fineness: 800 is not below the one above it: the finest stands first$"),
        ("grades", "XCU,grade_b,Copper Grade B,99,Law", r"metal: XCU stands here twice$"),
    ],
)
def test_what_stands_twice_or_out_of_order_is_a_broken_row(table: str, line: str, error: str) -> None:
    with pytest.raises(ValueError, match=rf"^{table}\.csv, line 3, {error}"):
        read(table, SOUND[table], line)


def test_each_metal_has_an_order_of_its_own() -> None:
    rows = read("purities", "XAU,750,18 carat,750", "XAG,925,Sterling silver,925", "XAU,585,14 carat,585")
    gold, silver = purities_of(rows).items()
    assert (gold[0], [one.code for one in gold[1]]) == ("XAU", ["750", "585"])
    assert (silver[0], [one.code for one in silver[1]]) == ("XAG", ["925"])


@pytest.mark.parametrize("table", HEADERS)
def test_another_header_is_refused(table: str) -> None:
    with pytest.raises(ValueError, match=rf"^{table}\.csv, line 1, header: it must be {HEADERS[table]}$"):
        read(table, SOUND[table], header="code,name")


@given(st.integers(0, 10**12), st.text("0123456789", min_size=1, max_size=30))
def test_any_weight_is_read_with_every_digit(whole: int, decimals: str) -> None:
    text = f"{whole}.{decimals}1"
    (unit,) = read("units", f"gram,Gram,{text},SI")
    assert str(unit.grams) == text or Fraction(unit.grams) == Fraction(text)
    assert len(unit.grams.as_tuple().digits) >= len(decimals.lstrip("0"))


def test_the_tables_cannot_be_changed() -> None:
    for table in (UNITS, PURITIES, GRADES):
        with pytest.raises(TypeError):
            table["xyz"] = None  # type: ignore[index]
    with pytest.raises(AttributeError):
        UNITS["gram"].grams = Decimal(2)  # type: ignore[misc]
