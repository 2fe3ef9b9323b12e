"""Linear support vector machines with the hinge loss, one after another on the same rows."""

import numpy as np
from numba import njit

#: Every so many passes, and for so many multipliers at the most, an exact step is worth its time.
_PASSES_BETWEEN = 10
_MOST_FREE = 50


@njit(cache=True, nogil=True, error_model="numpy")
def _solve_free(rows, upper, multipliers, w, free):
    """Move the `free` multipliers to the optimum with all others as they are.

    Of those that meet a bound on the way the first stays there, and the others go on without it.
    """
    d = len(w)
    n = len(free)
    products = np.empty((n, n))
    for a in range(n):
        for b in range(a + 1):
            total = 0.0
            for j in range(d):
                total += rows[free[a], j] * rows[free[b], j]
            products[a, b] = products[b, a] = total
    factor = np.empty((n, n))
    step = np.empty(n)
    while n > 0:
        # Newton's step by Cholesky's decomposition. Where rows depend on each other the objective
        # has no minimum: a tiny ridge makes the step so long that it ends at a bound.
        descent = 0.0
        slope = np.full(n, 1.0)
        for a in range(n):
            for j in range(d):
                slope[a] -= rows[free[a], j] * w[j]
            for b in range(a + 1):
                total = products[a, b]
                for c in range(b):
                    total -= factor[a, c] * factor[b, c]
                if a > b:
                    factor[a, b] = total / factor[b, b]
                else:
                    factor[a, a] = np.sqrt(max(total, 1e-10 * products[a, a]))
            step[a] = slope[a]
            for b in range(a):
                step[a] -= factor[a, b] * step[b]
            step[a] /= factor[a, a]
        for a in range(n - 1, -1, -1):
            for b in range(a + 1, n):
                step[a] -= factor[b, a] * step[b]
            step[a] /= factor[a, a]
            descent += slope[a] * step[a]
        if not 0 < descent < np.inf:  # at the optimum, up to rounding, or beyond the largest float
            return
        share, stopped = 1.0, -1
        for a in range(n):
            room = multipliers[free[a]]
            if step[a] > 0:
                room = upper[free[a]] - room
            if abs(step[a]) * share > room:
                share, stopped = room / abs(step[a]), a
        for a in range(n):
            i = free[a]
            new = min(max(multipliers[i] + share * step[a], 0.0), upper[i])
            if a == stopped:
                new = upper[i] if step[a] > 0 else 0.0
            for j in range(d):
                w[j] += (new - multipliers[i]) * rows[i, j]
            multipliers[i] = new
        if stopped < 0:
            return
        n -= 1
        free[stopped] = free[n]
        products[stopped, : n + 1] = products[n, : n + 1]
        products[: n + 1, stopped] = products[: n + 1, n]


@njit(cache=True, nogil=True, error_model="numpy")
def solve_hinge_dual(rows, upper, multipliers, tol, max_iter, seed):
    r"""Minimise :math:`|\sum_i a_i z_i|^2 / 2 - \sum_i a_i` over :math:`0 \le a_i \le u_i`.

    Dual coordinate descent with shrinking, as in liblinear: every pass takes the rows in a new
    random order and sets aside those that stay at a bound. Other than there, the multipliers
    between their bounds, if they are few, are now and then moved to their optimum at once, which
    passes approach slowly; and a pass in which all projected gradients are equal but not zero is
    not the last. Sums are added in the order of the columns, so that the result is the same on all
    processors.

    Parameters
    ----------
    rows : ndarray of shape (n, d), C-contiguous
        The :math:`z_i`: of an SVM the examples, each multiplied by its class, 1 or -1.
    upper : ndarray of shape (n,)
        The :math:`u_i`, from 0.
    multipliers : ndarray of shape (n,)
        The :math:`a_i` to begin with, within their bounds; those of the solution take their place.
    tol : float
        Largest difference between two projected gradients at the solution, or of one to 0.
    max_iter : int
        Largest number of passes.
    seed : int
        Seed of the random orders.

    Returns
    -------
    w : ndarray of shape (d,)
        :math:`\sum_i a_i z_i`, the weights of the machine.
    n_iter : int
        Number of passes.
    converged : bool

    References
    ----------
    .. [1] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A dual
       coordinate descent method for large-scale linear SVM", ICML 2008.
    """
    n, d = rows.shape
    w = np.zeros(d)
    lengths = np.zeros(n)
    order = np.empty(n, dtype=np.int64)
    n_all = 0
    for i in range(n):
        for j in range(d):
            lengths[i] += rows[i, j] * rows[i, j]
            w[j] += multipliers[i] * rows[i, j]
        if upper[i] > 0:
            order[n_all] = i
            n_all += 1
    n_active = n_all
    free = np.empty(_MOST_FREE, dtype=np.int64)
    state = np.uint64(seed)
    # Bounds of the projected gradients in the pass before: a row beyond them stays where it is.
    most, least = np.inf, -np.inf
    for n_iter in range(1, max_iter + 1):
        for place in range(n_active - 1):
            # Knuth's linear congruential generator; its high bits are the random ones
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            draw = (state >> np.uint64(32)) * np.uint64(n_active - place) >> np.uint64(32)
            other = place + np.int64(draw)
            order[place], order[other] = order[other], order[place]
        highest = lowest = 0.0
        has_moved = False
        place = 0
        while place < n_active:
            i = order[place]
            old = multipliers[i]
            gradient = -1.0
            for j in range(d):
                gradient += rows[i, j] * w[j]
            if (old == 0 and gradient > most) or (old == upper[i] and gradient < least):
                n_active -= 1
                order[place], order[n_active] = order[n_active], i
                continue
            place += 1
            projected = gradient
            if old == 0:
                projected = min(gradient, 0.0)
            elif old == upper[i]:
                projected = max(gradient, 0.0)
            highest = max(highest, projected)
            lowest = min(lowest, projected)
            if abs(projected) > 1e-12:  # less moves nothing
                new = min(old - gradient / lengths[i], upper[i])
                if not new > 0:  # also if numbers near the largest float make it no number
                    new = 0.0
                if new != old:
                    has_moved = True
                    multipliers[i] = new
                    for j in range(d):
                        w[j] += (new - old) * rows[i, j]
        converged = highest - lowest <= tol
        if converged or not has_moved:
            if n_active == n_all:
                return w, n_iter, converged
            n_active = n_all
            most, least = np.inf, -np.inf
        else:
            most = highest if highest > 0 else np.inf
            least = lowest if lowest < 0 else -np.inf
        if n_iter % _PASSES_BETWEEN == 0:
            n_free = 0
            for place in range(n_active):
                i = order[place]
                if 0 < multipliers[i] < upper[i]:
                    if n_free < _MOST_FREE:
                        free[n_free] = i
                    n_free += 1
            if n_free <= _MOST_FREE:
                _solve_free(rows, upper, multipliers, w, free[:n_free])
    return w, max_iter, False


class HingeChain:
    """Linear machines with the hinge loss on the same rows, whose prices change.

    Each is trained from where the last one ended: the multiplier of a row is scaled as its price
    is. A shallow copy goes on from the same machine independently.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    is_positive : ndarray of shape (n_samples,)
        Which rows are of class 1; the others are of class 0.
    """

    def __init__(self, X, is_positive):
        sign = np.where(is_positive, 1.0, -1.0)[:, None]
        self._rows = np.ascontiguousarray(np.hstack([X * sign, sign]))
        self._price = np.ones(len(X))
        self._multipliers = np.zeros(len(X))

    def train(self, svm, price):
        """Fit a machine, and tell whether the solver converged.

        Parameters
        ----------
        svm : LinearSVC
            With the hinge loss and an integer as random state. It gets the attributes that
            ``svm.fit`` would set, up to the solver's tolerance.
        price : ndarray of shape (n_samples,)
            Price of the rows' slacks: C times their weight.

        Returns
        -------
        converged : bool
        """
        scale = np.divide(price, self._price, out=np.zeros(len(price)), where=self._price > 0)
        self._multipliers = np.minimum(self._multipliers * scale, price)
        self._price = price
        w, n_iter, converged = solve_hinge_dual(
            self._rows,
            price,
            self._multipliers,
            float(svm.tol),
            int(svm.max_iter),
            int(svm.random_state),
        )
        svm.classes_ = np.array([0, 1])
        svm.coef_, svm.intercept_ = w[None, :-1], w[-1:]
        svm.n_features_in_ = len(w) - 1
        svm.n_iter_ = n_iter
        return converged
