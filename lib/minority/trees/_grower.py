"""Growing a tree on columns that are sorted once, and following rows down a tree.

A node is a segment of the sorted orders of all columns. A split divides the segments stably, so
nothing is ever sorted again. Rows whose split value is missing go down every branch with a share
of their weight; the branches are then written behind the segment of the node, where nodes finished
earlier have left room, because the last branch is always grown first.
"""

from typing import NamedTuple

import numpy as np

from minority.trees._splits import (
    EPS,
    GAIN_RATIO,
    HELLINGER,
    TIE,
    binary_split,
    compiled,
    nominal_split,
    numeric_split,
)


class Tree(NamedTuple):
    """Nodes as arrays; node 0 is the root and the children of a node are neighbours."""

    feature: np.ndarray  # -1 in leaves
    threshold: np.ndarray  # first child up to it, second beyond; NaN: one child per category
    first_child: np.ndarray
    n_children: np.ndarray
    counts: np.ndarray  # weight of each class, of shape (n_nodes, n_classes)


@compiled
def _argsort(values, order, keys, other_keys, other):
    """Write the rows by ascending value into `order`, NaN last; the other arrays are scratch.

    A stable radix sort by bytes, which skips those that all values share: real columns mostly have
    few digits, and then this is several times as fast as a sort by comparisons.
    """
    n = len(values)
    tally = np.zeros((8, 256), np.int64)
    bits = values.view(np.uint64)
    sign = np.uint64(1) << np.uint64(63)
    for i in range(n):
        # Bits of floats sort as their values if negative ones are flipped.
        key = ~bits[i] if bits[i] & sign else bits[i] | sign
        if np.isnan(values[i]):
            key = ~np.uint64(0)
        keys[i], order[i] = key, i
        for byte in range(8):
            tally[byte, (key >> np.uint64(8 * byte)) & np.uint64(255)] += 1
    for byte in range(8):
        if tally[byte].max() == n:
            continue
        shift = np.uint64(8 * byte)
        place = tally[byte].cumsum() - tally[byte]
        for i in range(n):
            digit = (keys[i] >> shift) & np.uint64(255)
            other_keys[place[digit]], other[place[digit]] = keys[i], order[i]
            place[digit] += 1
        keys[:], order[:] = other_keys, other


@compiled
def sorted_orders(columns, n_categories):
    """Row numbers in their own order, then by ascending value of each numeric column."""
    n_rows = columns.shape[1]
    # Unsigned: compiled code need not ask whether an index counts from the end.
    orders = np.empty((1 + np.sum(n_categories == 0), n_rows), np.uint32)
    orders[0] = np.arange(n_rows)
    keys, other_keys = np.empty(n_rows, np.uint64), np.empty(n_rows, np.uint64)
    other = np.empty(n_rows, np.uint32)
    slot = 1
    for j in range(len(columns)):
        if n_categories[j] == 0:
            _argsort(columns[j], orders[slot], keys, other_keys, other)
            slot += 1
    return orders


@compiled
def merge_orders(columns, orders, others):
    """The orders of all rows from those of the rows before and of the rows that follow them."""
    merged = np.empty((len(orders), orders.shape[1] + others.shape[1]), np.uint32)
    merged[0] = np.arange(merged.shape[1])
    for s in range(1, len(orders)):
        values, a, b = columns[s - 1], 0, 0
        for i in range(merged.shape[1]):
            after = b == others.shape[1]
            if after or (a < orders.shape[1] and values[orders[s, a]] <= values[others[s, b]]):
                merged[s, i] = orders[s, a]
                a += 1
            else:
                merged[s, i] = others[s, b]
                b += 1
    return merged


@compiled
def orders_of(orders, chosen):
    """The orders of the rows that are chosen."""
    n_chosen = 0
    for is_chosen in chosen:
        n_chosen += is_chosen
    found = np.empty(len(orders) * n_chosen + 1, np.uint32)  # room for a last one not chosen
    n_found = 0
    for s in range(len(orders)):
        for row in orders[s]:
            found[n_found] = row
            n_found += chosen[row]
    return found[:-1].reshape(len(orders), n_chosen)


@compiled
def _longer(array, size):
    new = np.zeros((size, *array.shape[1:]), array.dtype)
    new[: len(array)] = array
    return new


@compiled
def _wider(array, size):
    new = np.empty((len(array), size), array.dtype)
    new[:, : array.shape[1]] = array
    return new


@compiled
def branch_of(value, threshold, n_children):
    """Index of the child that a value goes to, -1 if it is missing or an unknown category."""
    if np.isnan(value):
        return -1
    if np.isnan(threshold):
        return np.int64(value) if 0 <= value < n_children else -1
    return 0 if value <= threshold else 1


@compiled
def _choose(score, ratio, counted, criterion):
    """The feature to split on, -1 for none."""
    if criterion != GAIN_RATIO:
        best, chosen = EPS if criterion == HELLINGER else -1.0, -1
        for j in range(len(score)):
            if score[j] > best + TIE:
                best, chosen = score[j], j
        return chosen
    mean, n_counted = 0.0, 0
    for j in range(len(score)):
        if score[j] >= 0 and counted[j]:
            mean += score[j]
            n_counted += 1
    mean /= max(1, n_counted)
    best, chosen = 0.0, -1
    for j in range(len(score)):
        if score[j] >= max(0.0, mean - 1e-3) and ratio[j] > best + EPS:
            best, chosen = ratio[j], j
    return chosen


@compiled
def divide(source, side, shift, portion, starts, out):
    """Write the rows of each branch from its start on, in the order that they have.

    A row without a side goes to every branch that has a portion of the cases.
    """
    place = starts.copy()
    for word in source:
        b = side[word >> shift]
        if b >= 0:
            out[place[b]] = word
            place[b] += 1
        else:
            for b in range(len(portion)):
                if portion[b] > 0:
                    out[place[b]] = word
                    place[b] += 1


@compiled
def _halve(segment, side, shift, scratch):
    """`divide` in place for two branches and rows that all have a side, without a jump."""
    n_left, n_right = 0, 0
    for word in segment:
        b = side[word >> shift]
        segment[n_left] = word  # never ahead of the word just read
        scratch[n_right] = word
        n_left += 1 - b
        n_right += b
    segment[n_left:] = scratch[:n_right]


@compiled
def _keep(segment, side, shift, branch):
    """Move the rows of one branch to the front, for the other one is a leaf."""
    n_kept = 0
    for word in segment:
        segment[n_kept] = word
        n_kept += side[word >> shift] == branch


@compiled
def _words(orders, y, shift):
    """The rows of the orders, with their class of two in the last bit if that is asked for."""
    words = np.empty_like(orders)
    for s in range(len(orders)):
        for i in range(orders.shape[1]):
            row = orders[s, i]
            words[s, i] = 2 * row + y[row] if shift else row
    return words


@compiled
def _is_final(counts, min_leaf):
    size = counts.sum()
    return size < 2 * min_leaf - EPS or size <= counts.max() + EPS


@compiled
def grow(columns, orders, y, weight, n_classes, n_categories, criterion, min_leaf, tol, table):
    """Grow a tree until no split is allowed or worthwhile.

    Parameters
    ----------
    columns : (n_features, n_rows); categories as 0, 1, ...; NaN is missing
    orders : the rows to use, see `sorted_orders`; not changed
    y, weight : class and weight of every row
    n_categories : of each column, 0 for numeric ones
    criterion : one of `CRITERIA`
    min_leaf, tol : see `numeric_split`
    table : see `xlogx_table`

    Returns
    -------
    tree : Tree, with thresholds midway between values
    """
    n_features, n_rows = len(columns), orders.shape[1]
    # With two classes a word of the orders is a row and its class, which is then at hand.
    shift = np.uint32(n_classes == 2)
    work = _words(orders, y, shift)
    scratch = np.empty(n_rows, np.uint32)
    w = weight.copy()
    # Whole weights are counted in integers, which saves a fifth of the time.
    whole = np.all(weight == np.floor(weight)) and weight.sum() < len(table)
    cases = weight.astype(np.int64)
    binary = criterion == GAIN_RATIO and n_classes == 2 and np.all(weight[orders[0]] == 1)
    binary &= n_rows < len(table)
    share = weight[orders[0]]  # weights beside work[0], kept once rows have been shared out
    shared = False
    side = np.zeros(columns.shape[1], np.int32)
    slot = np.zeros(n_features, np.int64)
    slot[n_categories == 0] = np.arange(1, len(orders))
    bags = np.zeros((max(2, n_categories.max()), n_classes))
    left, totals = np.zeros(n_classes), np.zeros(n_classes)
    left_cases, total_cases = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    score, ratio, cut = np.zeros(n_features), np.zeros(n_features), np.zeros(n_features)
    # Nominal columns with very many categories do not count in the average gain.
    counted = n_categories < 0.3 * share.sum()
    if not counted.any():
        counted[:] = True

    feature, threshold = np.full(64, -1, np.int32), np.zeros(64)
    first_child, n_children = np.zeros(64, np.int32), np.zeros(64, np.int32)
    counts = np.zeros((64, n_classes))
    for i in range(n_rows):
        counts[0, y[orders[0, i]]] += share[i]
    n_nodes = 1
    stack = np.zeros((64, 3), np.int64)
    stack[0] = 0, 0, n_rows
    height = 0 if _is_final(counts[0], min_leaf) else 1
    while height:
        height -= 1
        node, start, stop = stack[height]
        rows = work[0, start:stop]
        if shared:
            for i in range(start, stop):
                w[work[0, i] >> shift] = share[i]
        for j in range(n_features):
            segment = work[slot[j], start:stop]  # nominal columns have none
            last = segment[-1] >> shift
            if n_categories[j]:
                found = nominal_split(
                    columns[j], rows, shift, y, w, counts[node], criterion, min_leaf, table,
                    bags[: n_categories[j]],
                )  # fmt: skip
                score[j], ratio[j], cut[j] = found[0], found[1], np.nan
            elif binary and not shared and not np.isnan(columns[j, last]):
                score[j], ratio[j], cut[j] = binary_split(
                    columns[j], segment, np.int64(counts[node, 1]), min_leaf, tol, table
                )
            elif whole and not shared:
                score[j], ratio[j], cut[j] = numeric_split(
                    columns[j], segment, shift, y, cases, counts[node], criterion,
                    min_leaf, tol, table, left_cases, total_cases,
                )  # fmt: skip
            else:
                score[j], ratio[j], cut[j] = numeric_split(
                    columns[j], segment, shift, y, w, counts[node], criterion,
                    min_leaf, tol, table, left, totals,
                )  # fmt: skip
        j = _choose(score, ratio, counted, criterion)
        if j < 0:
            continue

        k = max(2, n_categories[j])
        first = n_nodes
        n_nodes += k
        while n_nodes > len(feature):
            room = 2 * len(feature)
            feature, threshold = _longer(feature, room), _longer(threshold, room)
            first_child, n_children = _longer(first_child, room), _longer(n_children, room)
            counts = _longer(counts, room)
        feature[first:n_nodes] = -1
        feature[node], threshold[node] = j, cut[j]
        first_child[node], n_children[node] = first, k
        sizes = np.zeros(k, np.int64)
        n_missing = 0
        for word in rows:
            row = word >> shift
            b = branch_of(columns[j, row], cut[j], k)
            side[row] = b
            if b < 0:
                n_missing += 1
            else:
                sizes[b] += 1
                counts[first + b, y[row]] += w[row]
        portion = counts[first:n_nodes].sum(axis=1) / counts[first:n_nodes].sum()
        if n_missing:
            if not shared:  # until now, the segments only permuted the rows
                shared = True
                for i in range(n_rows):
                    share[i] = weight[work[0, i] >> shift]
            sizes[portion > 0] += n_missing
            for word in rows:
                row = word >> shift
                if side[row] < 0:
                    counts[first:n_nodes, y[row]] += w[row] * portion
        before = height
        begin = stop if n_missing else start
        starts = np.zeros(k, np.int64)
        for b in range(k):
            starts[b] = begin
            begin += sizes[b]
            if not _is_final(counts[first + b], min_leaf):
                if height == len(stack):
                    stack = _longer(stack, 2 * height)
                stack[height] = first + b, starts[b], begin
                height += 1
        if height == before:
            continue  # nothing to divide for
        if n_missing:
            if begin > work.shape[1]:
                work, share = _wider(work, 2 * begin), _longer(share, 2 * begin)
            for s in range(len(work)):
                divide(work[s, start:stop], side, shift, portion, starts, work[s])
        elif k == 2 and height == before + 1 and not shared:
            branch = stack[before, 0] - first
            stack[before, 1], stack[before, 2] = start, start + sizes[branch]
            for s in range(len(work)):
                _keep(work[s, start:stop], side, shift, branch)
        elif k == 2:
            for s in range(len(work)):
                _halve(work[s, start:stop], side, shift, scratch)
        else:
            for s in range(len(work)):
                divide(work[s, start:stop], side, shift, portion, starts - start, scratch)
                work[s, start:stop] = scratch[: stop - start]
        if shared:
            for b in range(k):
                for i in range(starts[b], starts[b] + sizes[b]):
                    row = work[0, i] >> shift
                    share[i] = w[row] if side[row] >= 0 else w[row] * portion[b]
    return Tree(
        feature[:n_nodes], threshold[:n_nodes], first_child[:n_nodes], n_children[:n_nodes],
        counts[:n_nodes],
    )  # fmt: skip


@compiled
def _first_beyond(column, order, threshold):
    """Position of the first value above the threshold, NaN being above all."""
    low, high = 0, len(order)
    while low < high:
        middle = (low + high) // 2
        if column[order[middle]] <= threshold:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def snap_thresholds(tree, columns, orders, n_categories):
    """Move each threshold down to a training value, as C4.5 does; the rows divide as before."""
    slot = np.zeros(len(columns), np.int64)
    slot[n_categories == 0] = np.arange(1, len(orders))
    for node in range(len(tree.feature)):
        j = tree.feature[node]
        if j >= 0 and n_categories[j] == 0:
            order = orders[slot[j]]
            above = _first_beyond(columns[j], order, tree.threshold[node])
            tree.threshold[node] = columns[j, order[above - 1]]


@compiled
def threshold_neighbours(tree, columns, orders, n_categories):
    """The last value up to the threshold of each numeric split and the first one above it."""
    slot = np.zeros(len(columns), np.int64)
    slot[n_categories == 0] = np.arange(1, len(orders))
    near = np.full((len(tree.feature), 2), np.inf)
    for node in range(len(tree.feature)):
        j = tree.feature[node]
        if j >= 0 and n_categories[j] == 0:
            order = orders[slot[j]]
            above = _first_beyond(columns[j], order, tree.threshold[node])
            near[node, 0] = columns[j, order[above - 1]] if above else -np.inf
            if above < len(order) and not np.isnan(columns[j, order[above]]):
                near[node, 1] = columns[j, order[above]]
    return near


@compiled
def spread_rows(tree, values, X, out):
    """Sum of the values of the leaves that each row reaches, times its shares, into `out`."""
    feature, threshold, first_child, n_children, counts = tree
    nodes, shares = np.zeros(64, np.int64), np.zeros(64)
    for i in range(len(X)):
        nodes[0], shares[0] = 0, 1.0
        height = 1
        while height:
            height -= 1
            node, share = nodes[height], shares[height]
            b = 0
            while feature[node] >= 0:
                b = branch_of(X[i, feature[node]], threshold[node], n_children[node])
                if b < 0:
                    break
                node = first_child[node] + b
            if b >= 0:
                for c in range(values.shape[1]):  # a vector would be made for each row
                    out[i, c] += share * values[node, c]
                continue
            total = counts[node].sum()
            while height + n_children[node] > len(nodes):
                nodes, shares = _longer(nodes, 2 * len(nodes)), _longer(shares, 2 * len(shares))
            for child in range(first_child[node], first_child[node] + n_children[node]):
                part = counts[child].sum() / total
                if part > 0:
                    nodes[height], shares[height] = child, share * part
                    height += 1
