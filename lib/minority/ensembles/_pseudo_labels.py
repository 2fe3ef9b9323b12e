"""Labels for rows that have none."""

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_array, check_X_y
from sklearn.utils.multiclass import check_classification_targets

from minority._threads import one_thread


def pseudo_labels(X_labelled, y, X_unlabelled, *, n_clusters=5, random_state=None):
    """Label rows by a K-means classifier, the paper's proposal for semi-supervised learning.

    Each class is clustered by itself, and a row gets the class of the nearest centre. So a rare
    class has as many centres as a frequent one; clusters of all rows together would hardly ever
    have it as their majority. Distances are Euclidean: scale the features first.

    Parameters
    ----------
    X_labelled : array-like of shape (n_labelled, n_features)
    y : array-like of shape (n_labelled,)
        Classes of these rows.
    X_unlabelled : array-like of shape (n_unlabelled, n_features)
    n_clusters : int, default=5
        Centres per class; fewer for a class that has fewer distinct rows.
    random_state : int, RandomState instance or None, default=None
        Randomness of k-means.

    Returns
    -------
    labels : ndarray of shape (n_unlabelled,)
        Classes for the rows of `X_unlabelled`.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani and J. Friedman, "The elements of statistical learning", second
       edition, 2009, section 13.2.1.

    Examples
    --------
    >>> from minority.ensembles import pseudo_labels
    >>> pseudo_labels([[0.0], [1.0], [9.0]], ["no", "no", "yes"], [[2.0], [7.0]]).tolist()
    ['no', 'yes']
    """
    X, y = check_X_y(X_labelled, y, dtype=np.float64)
    check_classification_targets(y)
    others = check_array(X_unlabelled, dtype=np.float64)
    if others.shape[1] != X.shape[1]:
        raise ValueError(
            f"X_unlabelled has {others.shape[1]} features, but X_labelled has {X.shape[1]}."
        )
    centres, owners = [], []
    with one_thread():  # the order in which threads add up decides ties
        for label in np.unique(y):
            rows = X[y == label]
            k = min(n_clusters, len(np.unique(rows, axis=0)))
            kmeans = KMeans(k, n_init=10, random_state=random_state).fit(rows)
            centres.append(kmeans.cluster_centers_)
            owners += [label] * k
        nearest = pairwise_distances_argmin(others, np.concatenate(centres))
    return np.array(owners)[nearest]
