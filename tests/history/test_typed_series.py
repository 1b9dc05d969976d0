import pytest

from cambist.history.typed_series import TYPE_NAME, parse_series_key, series_key


def test_a_further_type_has_a_key_of_its_own():
    assert series_key("bcc", "segment_3") == "bcc:segment_3"
    assert parse_series_key("bcc:segment_3") == ("bcc", "segment_3")


def test_the_own_type_has_the_key_of_the_source():
    assert series_key("bcc", "") == "bcc"
    assert parse_series_key("bcc") == ("bcc", "")


@pytest.mark.parametrize("name", ["", "Parallel", "segment-3", "3rd", "a" * 33, "a:b", "a b"])
def test_a_type_is_a_plain_name(name):
    assert not TYPE_NAME.fullmatch(name)
