"""Sets of examples as bits: compiled helpers for the exact search."""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

ONE = np.uint64(1)
NONE, ALL = np.uint64(0), ~np.uint64(0)
BLOCK = 4  # words of a set are a multiple of it, so that a processor can take several at once


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


@intrinsic
def _keep_block(typing_context, out, start, first, a, second, b):
    """``out[start:][:BLOCK] &= first.flat[a:][:BLOCK] & second.flat[b:][:BLOCK]``."""

    def generate(context, builder, signature, arguments):
        block = ir.VectorType(ir.IntType(64), BLOCK).as_pointer()

        def place(array, offset):
            values = context.make_array(signature.args[array])(context, builder, arguments[array])
            return builder.bitcast(builder.gep(values.data, [arguments[offset]]), block)

        old, one, two = (builder.load(place(n, n + 1), align=8) for n in (0, 2, 4))
        common = builder.and_(old, builder.and_(one, two))
        builder.store(common, place(0, 1), align=8)
        return context.get_dummy_value()

    index = types.int64
    return types.void(out, index, first, index, second, index), generate


def n_words(size: int) -> int:
    """Words that a set over `size` elements takes, at least one block."""
    return BLOCK * max(1, -(-size // (64 * BLOCK)))


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
def has_in(sets, k, element):
    """Whether the k-th set has an element."""
    return (sets[k, element >> 6] >> np.uint64(element & 63)) & ONE != 0


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
        count = NONE
        for w in range(0, len(words), BLOCK):
            count += count_bits(words[w] & digits[b, w])
            count += count_bits(words[w + 1] & digits[b, w + 1])
            count += count_bits(words[w + 2] & digits[b, w + 2])
            count += count_bits(words[w + 3] & digits[b, w + 3])
        result += np.int64(count) << b
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
def in_hull(low, high, point, at_least, at_most, out):
    """The elements of the smallest box around a box and a point.

    `at_least[f, r]` and `at_most[f, r]` are the sets that a face at rank r lets in.
    """
    n_ranks, words = at_least.shape[1], at_least.shape[2]
    out[:] = ALL
    for start in range(0, words, BLOCK):
        for f in range(len(low)):
            bottom, top = min(low[f], point[f]), max(high[f], point[f])
            bottom = (f * n_ranks + bottom) * words + start
            top = (f * n_ranks + top) * words + start
            _keep_block(out, start, at_least, bottom, at_most, top)


@njit(cache=True, nogil=True)
def in_box(low, high, at_least, at_most, out):
    """The elements of a box: at least its lower and at most its upper face in all features."""
    in_hull(low, high, low, at_least, at_most, out)
