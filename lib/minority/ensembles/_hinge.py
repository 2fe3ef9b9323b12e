"""Linear support vector machines with the hinge loss, one after another on the same rows."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def solve_hinge_dual(rows, upper, multipliers, tol, max_iter, seed):
    r"""Minimise :math:`|\sum_i a_i z_i|^2 / 2 - \sum_i a_i` over :math:`0 \le a_i \le u_i`.

    Dual coordinate descent with shrinking, as in liblinear: every pass takes the rows in a new
    random order and sets aside those that stay at a bound. Other than there, a pass in which all
    projected gradients are equal but not zero is not the last. Sums are added in the order of the
    columns, so that the result is the same on all processors.

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
