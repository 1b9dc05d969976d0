"""Record batches of a generator as an Arrow stream: whoever reads it gets one batch after the other.

The libraries that write Arrow and Parquet files read from any object with the method `__arrow_c_stream__` of the Arrow
PyCapsule interface, but those they offer hold all batches in memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from arro3.core import RecordBatch, Schema

_NAME = b"arrow_array_stream"
_FAILED = 5  # EIO
_RELEASE_OF_SCHEMA, _SCHEMA_BYTES = 56, 72
_RELEASE_OF_ARRAY, _ARRAY_BYTES = 64, 80

_GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_GetLastError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _CStream(ctypes.Structure):
    """The struct ArrowArrayStream of Arrow's C stream interface."""

    _fields_ = (
        ("get_schema", _GetSchema),
        ("get_next", _GetNext),
        ("get_last_error", _GetLastError),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )


_SENTENCE = ctypes.create_string_buffer(b"the rows cannot be computed")
_python = ctypes.pythonapi
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class BatchStream:
    """An Arrow stream of record batches, to be read once, and while this object lives.

    An error of the generator ends the stream; it is kept in `error`, to be raised when the reader has given up.
    """

    def __init__(self, schema: Schema, batches: Iterator[RecordBatch]) -> None:
        self.error: Exception | None = None
        self._schema = schema
        self._batches = batches
        self._get_schema = _GetSchema(self._write_schema)
        self._get_next = _GetNext(self._write_next)
        self._get_last_error = _GetLastError(lambda _stream: ctypes.addressof(_SENTENCE))
        self._release = _Release(_mark_released)
        self._stream = _CStream(
            self._get_schema, self._get_next, self._get_last_error, ctypes.cast(self._release, ctypes.c_void_p), None
        )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """Return the stream as a capsule."""
        return _python.PyCapsule_New(ctypes.addressof(self._stream), _NAME, None)

    def _write_schema(self, _stream: int, target: int) -> int:
        _move(self._schema.__arrow_c_schema__(), b"arrow_schema", target, _SCHEMA_BYTES, _RELEASE_OF_SCHEMA)
        return 0

    def _write_next(self, _stream: int, target: int) -> int:
        try:
            batch = next(self._batches, None)
        except Exception as error:  # noqa: BLE001  it crosses code in C, and is raised on the other side
            self.error = error
            return _FAILED
        if batch is None:
            ctypes.memset(target, 0, _ARRAY_BYTES)  # a released array: the end
        else:
            _move(batch.__arrow_c_array__()[1], b"arrow_array", target, _ARRAY_BYTES, _RELEASE_OF_ARRAY)
        return 0


def _move(capsule: object, name: bytes, target: int, size: int, release: int) -> None:
    """Move the struct of a capsule; the capsule no longer releases what it held."""
    source = _python.PyCapsule_GetPointer(capsule, name)
    ctypes.memmove(target, source, size)
    ctypes.c_void_p.from_address(source + release).value = None


def _mark_released(stream: int) -> None:
    ctypes.c_void_p.from_address(stream + _CStream.release.offset).value = None
