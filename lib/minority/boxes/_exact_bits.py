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


def _block_operation(keep):
    """``out[start:][:BLOCK] = first[a:][:BLOCK] & second[b:][:BLOCK]``, all of them flat.

    With `keep`, elements that are not in `out` stay out of it.
    """

    @intrinsic
    def operation(typing_context, out, start, first, a, second, b):
        def generate(context, builder, signature, arguments):
            block = ir.VectorType(ir.IntType(64), BLOCK).as_pointer()

            def place(n):
                array = context.make_array(signature.args[n])(context, builder, arguments[n])
                return builder.bitcast(builder.gep(array.data, [arguments[n + 1]]), block)

            result = builder.and_(builder.load(place(2), align=8), builder.load(place(4), align=8))
            if keep:
                result = builder.and_(result, builder.load(place(0), align=8))
            builder.store(result, place(0), align=8)
            return context.get_dummy_value()

        index = types.int64
        return types.void(out, index, first, index, second, index), generate

    return operation


_set_block, _keep_block = _block_operation(False), _block_operation(True)


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
def first_of(w, word):
    """The lowest element of the w-th word of a set, to look something up: unsigned, so that the
    compiled code need not ask whether it counts from the end."""
    return (np.uint64(w) << np.uint64(6)) + lowest_bit(word)


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
            result += weights[first_of(w, word)]
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
        for w in range(len(words)):
            result += np.int64(count_bits(words[w] & digits[b, w])) << b
    return result * unit


@njit(cache=True, nogil=True)
def total_to(sets, i, k, among, weights, limit):
    """Sum of the weights of what two sets have in common, or `limit` if that is less.

    The first set is `sets[i, k]`: numba counts references to every slice, which takes longer than
    the sum.
    """
    result = np.int64(0)
    for w in range(len(among)):
        word = sets[i, k, w] & among[w]
        while word != 0:
            result += weights[first_of(w, word)]
            if result >= limit:
                return limit
            word &= word - ONE
    return min(result, limit)


@njit(cache=True, nogil=True)
def in_hull(low, high, points, i, at_least, at_most, out, start):
    """The elements of the smallest box around a box and the i-th point, in `out` from `start` on.

    `at_least[f, r]` and `at_most[f, r]` are the sets that a face at rank r lets in.
    """
    n_ranks, words = at_least.shape[1], at_least.shape[2]
    for w in range(0, words, BLOCK):
        for f in range(len(low)):
            bottom = (f * n_ranks + min(low[f], points[i, f])) * words + w
            top = (f * n_ranks + max(high[f], points[i, f])) * words + w
            if f == 0:
                _set_block(out, start + w, at_least, bottom, at_most, top)
            else:
                _keep_block(out, start + w, at_least, bottom, at_most, top)


@njit(cache=True, nogil=True)
def in_box(low, high, at_least, at_most, out):
    """The elements of a box: at least its lower and at most its upper face in all features."""
    n_ranks, words = at_least.shape[1], at_least.shape[2]
    for w in range(0, words, BLOCK):
        for f in range(len(low)):
            bottom = (f * n_ranks + low[f]) * words + w
            top = (f * n_ranks + high[f]) * words + w
            if f == 0:
                _set_block(out, w, at_least, bottom, at_most, top)
            else:
                _keep_block(out, w, at_least, bottom, at_most, top)
