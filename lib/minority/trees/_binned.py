"""Growing trees on columns in bins: a split takes a table of the bins in place of sorted rows.

The table of a node less that of one child is the table of the other child, so that only the rows
of the smaller child are ever counted. Tables have the shape (n_features, n_bins, n_classes).
"""

import numpy as np

from minority.trees._grower import Tree, _choose, _is_final, _longer
from minority.trees._splits import EPS, GINI, TIE, compiled, split_purity, xlogx

MOST_BINS = 256  # codes are bytes


@compiled
def _first_of_bins(sizes, max_bins):
    """Position of the first value of each bin, for bins of equal numbers of rows if they can be.

    What a frequent value leaves short or over is shared by the bins that follow.
    """
    first = np.zeros(max_bins, np.int64)
    n_bins, size, rest = 1, 0, sizes.sum()
    for i in range(len(sizes)):
        is_better = size + sizes[i] / 2 > rest / (max_bins - n_bins + 1)
        if size and n_bins < max_bins and is_better:
            first[n_bins] = i
            n_bins += 1
            rest -= size
            size = 0
        size += sizes[i]
    return first[:n_bins]


def bins_of(column, max_bins):
    """The bin of each value, and the smallest and the largest value of each bin.

    Bins are contiguous and have about the same number of rows. Each value has a bin of its own if
    there are at most `max_bins` of them.
    """
    values, sizes = np.unique(column, return_counts=True)
    first = np.arange(len(values)) if len(values) <= max_bins else _first_of_bins(sizes, max_bins)
    low, high = values[first], values[np.append(first[1:], len(values)) - 1]
    return np.searchsorted(high, column).astype(np.uint8), low, high


@compiled
def _count_rows(codes, rows, y, weight, table):
    for row in rows:
        kind, w = y[row], weight[row]
        for j in range(codes.shape[1]):
            table[j, codes[row, j], kind] += w


@compiled
def _kind_of(bag):
    """The only class of the cases in a bin, -1 if there are several."""
    kind = -1
    for c in range(len(bag)):
        if bag[c]:
            if kind >= 0:
                return -1
            kind = c
    return kind


@compiled
def _binned_split(bags, filled, counts, criterion, min_leaf, table, left, totals):
    """Best split of one column: score and index of the last bin on the left in `filled`.

    Decides as `numeric_split`, which has a group of rows of equal value for a bin.
    """
    n_classes = len(counts)
    for c in range(n_classes):
        left[c] = 0
        totals[c] = counts[c]
    total = totals.sum()
    base = 0.0
    if criterion == GINI:
        for c in range(n_classes):
            base += totals[c] * totals[c] / total
    else:
        for c in range(n_classes):
            base += xlogx(totals[c], table)
        base -= xlogx(total, table)
    unit = 1 / total
    best, last, n_tries = -1.0, -1, 0
    n_left = 0
    kind = _kind_of(bags[filled[0]]) if len(filled) else -1
    for i in range(len(filled) - 1):
        bag, following = bags[filled[i]], bags[filled[i + 1]]
        for c in range(n_classes):
            left[c] += bag[c]
            n_left += bag[c]
        n_right = total - n_left
        if n_right < min_leaf - EPS:
            break
        next_kind = _kind_of(following)
        if n_left >= min_leaf - EPS:
            n_tries += 1
            # Inside a run of one class no criterion has its maximum, unless the run goes on to
            # where the other side becomes too small.
            inside = n_tries > 1 and kind >= 0 and kind == next_kind
            if not inside or n_right - following.sum() < min_leaf - EPS:
                value = split_purity(criterion, left, totals, n_left, n_right, table)
                score = unit * (value - base)
                if score > best + TIE:
                    best, last = score, i
        kind = next_kind
    return best, last


@compiled
def grow_binned(codes, low, high, y, cases, features, n_classes, criterion, min_leaf, table):
    """Grow a tree as `grow` does, with one threshold for each pair of neighbouring bins.

    Parameters
    ----------
    codes : (n_rows, n_features); the bin of each value
    low, high : (n_features, n_bins); smallest and largest value of each bin
    y, cases : class and whole weight of every row, unsigned
    features : in the order of preference among equally good ones
    n_classes, criterion, min_leaf, table : see `grow`; gini or entropy

    Returns
    -------
    tree : Tree, with thresholds midway between the bins next to them that have rows of the node
    """
    n_rows, n_features = codes.shape
    n_bins = low.shape[1]  # of the column with the most; others leave some empty
    # With fewer rows it takes longer to go through a table than to count them. And the tables of
    # nodes that wait take no more memory than the rows in them as floats.
    large = max(n_bins, n_bins * n_classes // 2)
    work, scratch = np.arange(n_rows).astype(np.uint32), np.empty(n_rows, np.uint32)
    tables = np.zeros((2, n_features, n_bins, n_classes), np.uint32)
    free, n_free = np.array([1, 0]), 2
    small = np.zeros((n_bins, n_classes), np.uint32)
    is_filled, filled = np.zeros(n_bins, np.bool_), np.zeros(n_bins, np.uint32)
    left, totals = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    score = np.zeros(n_features)
    below, above = np.zeros(n_features, np.uint32), np.zeros(n_features, np.uint32)
    counted = np.ones(n_features, np.bool_)
    sizes, slot, goes_on = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.bool_)

    feature, threshold = np.full(64, -1, np.int32), np.zeros(64)
    first_child, n_children = np.zeros(64, np.int32), np.zeros(64, np.int32)
    counts = np.zeros((64, n_classes))
    for i in range(n_rows):
        counts[0, y[i]] += cases[i]
    n_nodes = 1
    stack = np.zeros((64, 4), np.int64)
    stack[0] = 0, 0, n_rows, -1
    height = 0 if _is_final(counts[0], min_leaf) else 1
    if height and n_rows >= large:
        n_free -= 1
        stack[0, 3] = free[n_free]
        _count_rows(codes, work, y, cases, tables[free[n_free]])
    while height:
        height -= 1
        node, start, stop, own = stack[height]
        rows = work[start:stop]
        for p in range(n_features):
            j = features[p]
            n_filled = 0
            if own >= 0:
                bags = tables[own, j]
                for b in range(n_bins):
                    filled[n_filled] = b
                    n_filled += bags[b].sum() > 0
            else:
                bags = small
                for row in rows:
                    b = codes[row, j]
                    bags[b, y[row]] += cases[row]
                    is_filled[b] = True
                for b in range(n_bins):
                    filled[n_filled] = b
                    n_filled += is_filled[b]
            score[p], k = _binned_split(
                bags, filled[:n_filled], counts[node], criterion, min_leaf, table, left, totals
            )
            if k >= 0:
                below[p], above[p] = filled[k], filled[k + 1]
            if own < 0:
                for b in filled[:n_filled]:
                    is_filled[b] = False
                    bags[b] = 0
        p = _choose(score, score, counted, criterion)
        if p < 0:
            if own >= 0:
                free[n_free] = own
                n_free += 1
            continue

        first = n_nodes
        n_nodes += 2
        if n_nodes > len(feature):
            room = 2 * len(feature)
            feature, threshold = _longer(feature, room), _longer(threshold, room)
            first_child, n_children = _longer(first_child, room), _longer(n_children, room)
            counts = _longer(counts, room)
        feature[first:n_nodes] = -1
        j = features[p]
        value, following = high[j, below[p]], low[j, above[p]]
        middle = value / 2 + following / 2
        feature[node], threshold[node] = j, middle if value <= middle < following else value
        first_child[node], n_children[node] = first, 2
        n_left = n_right = 0
        for row in rows:
            b = np.int64(codes[row, j] > below[p])
            counts[first + b, y[row]] += cases[row]
            rows[n_left] = row  # never ahead of the row just read
            scratch[n_right] = row
            n_left += 1 - b
            n_right += b
        rows[n_left:] = scratch[:n_right]

        sizes[0], sizes[1] = n_left, n_right
        for b in range(2):
            goes_on[b] = not _is_final(counts[first + b], min_leaf)
            slot[b] = -1
        if own >= 0:
            smaller = 0 if n_left < n_right else 1
            larger = 1 - smaller
            if goes_on[larger] and sizes[larger] >= large:
                if not n_free:
                    n_free = len(tables)
                    free = np.arange(n_free, 3 * n_free)
                    tables = _longer(tables, 2 * n_free)
                n_free -= 1
                other = free[n_free]
                tables[other] = 0
                part = rows[n_left:] if smaller else rows[:n_left]
                _count_rows(codes, part, y, cases, tables[other])
                tables[own] -= tables[other]
                slot[larger], own = own, other
            elif goes_on[smaller] and sizes[smaller] >= large:
                tables[own] = 0
                part = rows[n_left:] if smaller else rows[:n_left]
                _count_rows(codes, part, y, cases, tables[own])
            # Now `own` is the table of the smaller child, or of no use.
            if goes_on[smaller] and sizes[smaller] >= large:
                slot[smaller] = own
            else:
                free[n_free] = own
                n_free += 1
        begin = start
        for b in range(2):
            if goes_on[b]:
                if height == len(stack):
                    stack = _longer(stack, 2 * height)
                stack[height] = first + b, begin, begin + sizes[b], slot[b]
                height += 1
            begin += sizes[b]
    return Tree(
        feature[:n_nodes], threshold[:n_nodes], first_child[:n_nodes], n_children[:n_nodes],
        counts[:n_nodes],
    )  # fmt: skip
