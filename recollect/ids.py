"""Ids that sort by the time at which they were made."""

import os
import time
from uuid import UUID


def uuid7() -> UUID:
    """A UUID of version 7 (RFC 9562, 5.7): 48 bits of Unix milliseconds, then random bits.

    Neighbours in time are neighbours in a btree, which random UUIDs are not. The standard library has it from Python 3.14.
    """
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & (1 << 48) - 1) << 80 | random
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0b11 << 62) | 0b10 << 62
    return UUID(int=value)
