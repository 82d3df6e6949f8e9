"""Random messages, made from the types of their fields."""

from typing import Any

import msgspec.inspect as kinds
from hypothesis import strategies as st

CARD_TEXTS = st.sampled_from(["AS", "TH", "9D", "QC", "X1"])


def built(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a message type, every field of it drawn."""
    return _described(kinds.type_info(kind))


def _described(info: kinds.Type) -> st.SearchStrategy[Any]:
    match info:
        case kinds.StructType():
            return st.builds(info.cls, **{each.name: _described(each.type) for each in info.fields})
        case kinds.UnionType():
            return st.one_of([_described(part) for part in info.types])
        case kinds.ListType():
            longest = 3 if info.max_length is None else info.max_length
            return st.lists(_described(info.item_type), min_size=info.min_length or 0, max_size=longest)
        case kinds.DictType():
            return st.dictionaries(st.text(max_size=5), st.integers(0, 99), max_size=3)
        case _:
            return _scalar(info)


def _scalar(info: kinds.Type) -> st.SearchStrategy[Any]:
    match info:
        case kinds.NoneType():
            return st.none()
        case kinds.BoolType():
            return st.booleans()
        case kinds.IntType():
            least = -(2**53) if info.ge is None else info.ge
            return st.integers(least, 2**53 if info.le is None else info.le)
        case kinds.StrType():
            return st.text(max_size=9) if info.pattern is None else CARD_TEXTS
        case kinds.BytesType():
            return st.binary(min_size=info.min_length or 0, max_size=info.max_length)
        case kinds.LiteralType():
            return st.sampled_from(info.values)
        case _:
            raise AssertionError(info)
