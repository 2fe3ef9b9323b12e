"""Error-based pruning with subtree raising.

The errors expected in a leaf are those seen plus what the upper confidence limit of their share
adds [1]_. From the bottom up, a node becomes a leaf or is replaced by its largest branch if that is
not expected to err more than its subtree by more than a tenth of a case.

.. [1] J. R. Quinlan, "C4.5: Programs for Machine Learning", Morgan Kaufmann, 1993, chapter 4.
"""

from statistics import NormalDist

import numpy as np

from minority.trees._grower import Tree, _longer, branch_of
from minority.trees._splits import EPS, compiled

_SLACK = 0.1 + EPS


def confidence_limit(confidence_factor):
    """The normal deviate of one-sided confidence 1 - `confidence_factor`."""
    return NormalDist().inv_cdf(1 - confidence_factor)


@compiled
def extra_errors(n, errors, confidence_factor, z):
    """Errors that the upper confidence limit adds to `errors` seen among `n` cases."""
    if errors < 1:
        # Exact for no error; linear between that and one error.
        none = n * (1 - confidence_factor ** (1 / n))
        if errors == 0:
            return none
        return none + errors * (_limit(n, 1.0, z) - none)
    return _limit(n, errors, z)


@compiled
def _limit(n, errors, z):
    """The normal approximation to the binomial, with the correction for continuity."""
    if errors + 0.5 >= n:
        return max(n - errors, 0.0)
    f = (errors + 0.5) / n
    spread = z * np.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * (f + z * z / (2 * n) + spread) / (1 + z * z / n) - errors


@compiled
def leaf_errors(counts, confidence_factor, z):
    """Errors to expect in a leaf with these classes."""
    n = counts.sum()
    if n <= EPS:
        return 0.0
    errors = n - counts.max()
    return errors + extra_errors(n, errors, confidence_factor, z)


@compiled
def collapse(tree):
    """Make leaves of nodes whose subtree errs as often on the training rows, from the top down."""
    feature, _, first_child, n_children, counts = tree
    n_nodes = len(feature)
    errors = np.zeros(n_nodes)
    for node in range(n_nodes - 1, -1, -1):  # children come after their parents
        if feature[node] < 0:
            errors[node] = counts[node].sum() - counts[node].max()
        else:
            first = first_child[node]
            errors[node] = errors[first : first + n_children[node]].sum()
    for node in range(n_nodes):
        if feature[node] >= 0 and errors[node] >= counts[node].sum() - counts[node].max() - 1e-3:
            feature[node] = -1


@compiled
def _send_down(tree, node, columns, rows, shares, start, stop, side, fresh):
    """Write the rows of each branch of a node behind its own; returns buffers and starts.

    With `fresh`, shares of rows with missing values follow the rows given, else the tree's counts.
    """
    feature, threshold, first_child, n_children, counts = tree
    k, first = n_children[node], first_child[node]
    column = columns[feature[node]]
    starts = np.zeros(k + 1, np.int64)
    portion = np.zeros(k)
    n_missing = 0
    for i in range(start, stop):
        b = branch_of(column[rows[i]], threshold[node], k)
        side[rows[i]] = b
        if b < 0:
            n_missing += 1
        else:
            starts[b + 1] += 1
            portion[b] += shares[i]
    if n_missing:
        if not fresh or portion.sum() <= EPS:
            portion = counts[first : first + k].sum(axis=1)
        portion /= max(portion.sum(), EPS)
        starts[1:][portion > 0] += n_missing
    starts[0] = stop
    for b in range(k):
        starts[b + 1] += starts[b]
    if starts[k] > len(rows):
        rows, shares = _longer(rows, 2 * starts[k]), _longer(shares, 2 * starts[k])
    place = starts[:k].copy()
    for i in range(start, stop):
        b = side[rows[i]]
        if b >= 0:
            rows[place[b]], shares[place[b]] = rows[i], shares[i]
            place[b] += 1
        else:
            for b in range(k):
                if portion[b] > 0:
                    rows[place[b]], shares[place[b]] = rows[i], shares[i] * portion[b]
                    place[b] += 1
    return rows, shares, starts


@compiled
def _class_weights(rows, shares, start, stop, y, n_classes):
    counts = np.zeros(n_classes)
    for i in range(start, stop):
        counts[y[rows[i]]] += shares[i]
    return counts


@compiled
def _others(tree, node, largest, columns, rows, shares, start, stop):
    """Write the rows that do not go to the largest branch behind those of the node."""
    feature, threshold, first_child, n_children, _ = tree
    column, k, kept = columns[feature[node]], n_children[node], largest - first_child[node]
    if 2 * stop - start > len(rows):
        rows, shares = _longer(rows, 4 * stop), _longer(shares, 4 * stop)
    end = stop
    for i in range(start, stop):
        rows[end], shares[end] = rows[i], shares[i]
        end += branch_of(column[rows[i]], threshold[node], k) != kept
    return rows, shares, end


@compiled
def _raise_rows(
    tree, top, columns, y, rows, shares, start, stop, side, expected, added, cf, z, update
):
    """Errors to expect if the subtree at `top` had to classify the rows [start, stop).

    With `added` it has to classify its own rows too, of which only the counts are needed. With
    `update`, the counts of the subtree become those of the rows.
    """
    feature, _, first_child, n_children, counts = tree
    stack = np.zeros((64, 3), np.int64)
    stack[0] = top, start, stop
    height, errors = 1, 0.0
    while height:
        height -= 1
        node, begin, end = stack[height]
        unchanged = added and begin == end
        if feature[node] < 0 and unchanged:
            errors += expected[node]
        elif feature[node] < 0 or update:
            classes = _class_weights(rows, shares, begin, end, y, counts.shape[1])
            if added:
                classes += counts[node]
            if feature[node] < 0:
                errors += leaf_errors(classes, cf, z)
            if update:
                counts[node] = classes
        if feature[node] < 0:
            continue
        k = n_children[node]
        starts = np.full(k + 1, end)
        if not unchanged:
            # The segment of the topmost node of the stack is the last one: there is room behind.
            rows, shares, starts = _send_down(
                tree, node, columns, rows, shares, begin, end, side, True
            )
        while height + k > len(stack):
            stack = _longer(stack, 2 * len(stack))
        for b in range(k):
            stack[height] = first_child[node] + b, starts[b], starts[b + 1]
            height += 1
    return errors, rows, shares


@compiled
def _is_countable(tree, columns, rows, shares):
    """Whether sums of cases are exact, in any order: no values are missing and weights whole."""
    if np.any(shares != np.floor(shares)) or shares.sum() >= 2.0**53:
        return False
    for j in np.unique(tree.feature[tree.feature >= 0]):
        for row in rows:
            if np.isnan(columns[j, row]):
                return False
    return True


@compiled
def prune(tree, columns, y, weight, used, confidence_factor, z, raising):
    """Prune in place; `used` are the rows that the tree was grown on."""
    feature, threshold, first_child, n_children, counts = tree
    expected = np.zeros(len(feature))  # errors of each subtree as pruned so far
    side = np.zeros(len(y), np.int32)
    rows = used.copy()
    shares = weight[used]
    countable = _is_countable(tree, columns, rows, shares)
    stack = np.zeros((64, 4), np.int64)  # node, its rows, whether the branches are done
    stack[0] = 0, 0, len(used), 0
    height = 1
    while height:
        node, start, stop, done = stack[height - 1]
        as_leaf = leaf_errors(counts[node], confidence_factor, z)
        if feature[node] < 0:
            expected[node] = as_leaf
            height -= 1
            continue
        first, k = first_child[node], n_children[node]
        if not done:
            stack[height - 1, 3] = 1
            rows, shares, starts = _send_down(
                tree, node, columns, rows, shares, start, stop, side, False
            )
            while height + k > len(stack):
                stack = _longer(stack, 2 * len(stack))
            for b in range(k):
                stack[height] = first + b, starts[b], starts[b + 1], 0
                height += 1
            continue

        as_tree = expected[first : first + k].sum()
        largest, size = first, 0.0
        for child in range(first, first + k):  # the last of equals
            if counts[child].sum() >= size - EPS:
                largest, size = child, counts[child].sum()
        as_branch = np.inf
        if raising:
            begin, end = start, stop
            if countable:
                begin = stop
                rows, shares, end = _others(tree, node, largest, columns, rows, shares, start, stop)
            as_branch, rows, shares = _raise_rows(
                tree, largest, columns, y, rows, shares, begin, end, side, expected, countable,
                confidence_factor, z, False,
            )  # fmt: skip
        if as_leaf <= as_tree + _SLACK and as_leaf <= as_branch + _SLACK:
            feature[node] = -1
            expected[node] = as_leaf
            height -= 1
        elif as_branch <= as_tree + _SLACK:
            feature[node], threshold[node] = feature[largest], threshold[largest]
            first_child[node], n_children[node] = first_child[largest], n_children[largest]
            _, rows, shares = _raise_rows(
                tree, node, columns, y, rows, shares, start, stop, side, expected, False,
                confidence_factor, z, True,
            )  # fmt: skip
            stack[height - 1, 3] = 0  # the branches have other rows now
        else:
            expected[node] = as_tree
            height -= 1


@compiled
def compact(tree):
    """The nodes that the root still reaches, renumbered with children behind their parents."""
    n_reached = 1
    for node in range(len(tree.feature)):
        n_reached += tree.n_children[node]  # at most
    kept = np.zeros(n_reached, np.int64)
    first_child = np.zeros(n_reached, np.int32)
    n_children = np.zeros(n_reached, np.int32)
    n_reached, i = 1, 0
    while i < n_reached:
        node = kept[i]
        if tree.feature[node] >= 0:
            first_child[i], n_children[i] = n_reached, tree.n_children[node]
            for child in range(tree.n_children[node]):
                kept[n_reached] = tree.first_child[node] + child
                n_reached += 1
        i += 1
    kept = kept[:n_reached]
    feature, threshold = tree.feature[kept], tree.threshold[kept]
    threshold[feature < 0] = np.nan
    return Tree(
        feature, threshold, first_child[:n_reached].copy(), n_children[:n_reached].copy(),
        tree.counts[kept],
    )  # fmt: skip
