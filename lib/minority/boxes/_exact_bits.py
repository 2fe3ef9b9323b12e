"""Sets of examples as bits: compiled helpers for the exact search."""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

ONE = np.uint64(1)


@intrinsic
def lowest_bit(typing_context, word):
    """Position of the lowest bit of a word that is not zero."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), generate


@intrinsic
def count_bits(typing_context, word):
    """Number of bits of a word that are set."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def n_words(size: int) -> int:
    """Words that a set over `size` elements takes, at least one."""
    return max(1, -(-size // 64))


def pack(mask: np.ndarray) -> np.ndarray:
    """Boolean rows of shape (..., size) as words of shape (..., n_words)."""
    size = mask.shape[-1]
    padded = np.zeros((*mask.shape[:-1], 64 * n_words(size)), dtype=bool)
    padded[..., :size] = mask
    return np.packbits(padded, axis=-1, bitorder="little").view(np.uint64)


@njit(cache=True, nogil=True)
def has(words, element):
    return (words[element >> 6] >> np.uint64(element & 63)) & ONE != 0


@njit(cache=True, nogil=True)
def put(words, element):
    words[element >> 6] |= ONE << np.uint64(element & 63)


@njit(cache=True, nogil=True)
def meet(first, second):
    """Whether two sets have an element in common."""
    common = np.uint64(0)
    for w in range(len(first)):
        common |= first[w] & second[w]
    return common != 0


@njit(cache=True, nogil=True)
def total(words, weights):
    """Sum of the weights of a set."""
    result = np.int64(0)
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            result += weights[(w << 6) + np.int64(lowest_bit(word))]
            word &= word - ONE
    return result


def planes(weights: np.ndarray) -> tuple[np.ndarray, int]:
    """Weights as the sets whose weights have each binary digit, and the unit of the digits."""
    unit = max(1, int(np.gcd.reduce(weights)))
    digits = weights // unit
    n_digits = int(digits.max(initial=0)).bit_length()
    return pack(digits >> np.arange(n_digits)[:, None] & 1 == 1), unit


@njit(cache=True, nogil=True)
def weigh(words, digits, unit):
    """Sum of the weights of a set, from the `planes` of the weights."""
    result = np.int64(0)
    for b in range(len(digits)):
        count = np.int64(0)
        for w in range(len(words)):
            count += np.int64(count_bits(words[w] & digits[b, w]))
        result += count << b
    return result * unit


@njit(cache=True, nogil=True)
def total_to(words, among, weights, limit):
    """Sum of the weights of what two sets have in common, or `limit` if that is less."""
    result = np.int64(0)
    for w in range(len(words)):
        word = words[w] & among[w]
        while word != 0:
            result += weights[(w << 6) + np.int64(lowest_bit(word))]
            if result >= limit:
                return limit
            word &= word - ONE
    return min(result, limit)


@njit(cache=True, nogil=True)
def in_box(low, high, at_least, at_most, out):
    """The elements of a box: at least its lower and at most its upper face in all features.

    `at_least[f, r]` and `at_most[f, r]` are the sets that a face at rank r lets in.
    """
    for w in range(len(out)):
        word = ~np.uint64(0)
        for f in range(len(low)):
            word &= at_least[f, low[f], w] & at_most[f, high[f], w]
        out[w] = word


@njit(cache=True, nogil=True)
def in_hull(low, high, point, at_least, at_most, out):
    """The elements of the smallest box around a box and a point."""
    for w in range(len(out)):
        out[w] = at_least[0, min(low[0], point[0]), w] & at_most[0, max(high[0], point[0]), w]
    for f in range(1, len(low)):
        bottom, top = min(low[f], point[f]), max(high[f], point[f])
        for w in range(len(out)):
            out[w] &= at_least[f, bottom, w] & at_most[f, top, w]
