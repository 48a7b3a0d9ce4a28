"""A tree of readings in fused loops: cells that halve along every axis, each with the mean of the readings in it.

Nodes stand in arrays, parents before their children, and the children of a node side by side.
"""

import numpy as np

from akrig.kernels.ops.compilation import compiled_loop

DEEPEST_TILE = 40  # halvings


@compiled_loop()
def interleave(X, lower, side, bits, keys):
    """Each point's cell of the finest grid, its coordinates' bits in turn, so that cells near each other sort so."""
    num, dim = X.shape
    most = (1 << bits) - 1
    for i in range(num):
        key = np.int64(0)
        for k in range(dim):
            at = min(max(np.int64((X[i, k] - lower) / side * (1 << bits)), 0), most)
            for b in range(bits):
                key |= ((at >> b) & 1) << (b * dim + k)
        keys[i] = key


@compiled_loop()
def _common_level(a, b, dim, bits):
    """How many halvings two keys have in common."""
    differing, length = a ^ b, 0
    while differing:
        differing >>= 1
        length += 1
    return bits if length == 0 else (bits * dim - length) // dim


@compiled_loop()
def finest_level(keys, dim, bits, most_cells):
    """The most halvings of which no more than so many cells have readings."""
    begins = np.zeros(bits + 1, np.int64)  # cells that begin at each level, and so at all finer ones
    begins[0] = 1
    for i in range(1, keys.size):
        common = _common_level(keys[i - 1], keys[i], dim, bits)
        if common < bits:
            begins[common + 1] += 1
    total = 0
    for level in range(bits + 1):
        total += begins[level]
        if total > most_cells:
            return max(level - 1, 0)
    return bits


@compiled_loop()
def grow(keys, dim, bits, finest, begin, end, first, num_children):
    """The tree over sorted keys, from its root on; returns how many nodes it has."""
    begin[0], end[0], num = 0, keys.size, 1
    node = 0
    while node < num:
        a, b = begin[node], end[node]
        first[node] = num_children[node] = 0
        level = _common_level(keys[a], keys[b - 1], dim, bits)
        if level < finest:
            first[node] = num
            shift = (bits - level - 1) * dim
            while a < b:
                child, low, high = keys[a] >> shift, a, b  # the end of this child, by halving
                while high - low > 1:
                    middle = (low + high) // 2
                    if keys[middle] >> shift == child:
                        low = middle
                    else:
                        high = middle
                begin[num], end[num] = a, high
                num, a = num + 1, high
            num_children[node] = num - first[node]
        node += 1
    return num


@compiled_loop()
def summarise(X, y, order, begin, end, first, num_children, count, leaves, total_X, total_y, lower, upper):
    """Sums and bounds of every node, from the leaves up: a sum over a part is never the difference of two others."""
    for node in range(begin.size - 1, -1, -1):
        total_X[node], total_y[node], count[node], leaves[node] = 0.0, 0.0, 0, 0
        lower[node], upper[node] = np.inf, -np.inf
        if num_children[node]:
            for child in range(first[node], first[node] + num_children[node]):
                total_y[node] += total_y[child]
                count[node] += count[child]
                leaves[node] += leaves[child]
                for k in range(X.shape[1]):
                    total_X[node, k] += total_X[child, k]
                    lower[node, k] = min(lower[node, k], lower[child, k])
                    upper[node, k] = max(upper[node, k], upper[child, k])
        else:
            leaves[node] = 1
            for place in range(begin[node], end[node]):
                i = order[place]
                total_y[node] += y[i]
                count[node] += 1
                for k in range(X.shape[1]):
                    total_X[node, k] += X[i, k]
                    lower[node, k] = min(lower[node, k], X[i, k])
                    upper[node, k] = max(upper[node, k], X[i, k])


@compiled_loop()
def _priority(node, lower, upper, num_children, box_lower, box_upper, softening):
    """How wide a node is, as seen from a box: by the fourth power, so that what is near is opened long before."""
    if num_children[node] == 0:
        return -1.0
    apart, width = 0.0, 0.0
    for k in range(lower.shape[1]):
        width = max(width, upper[node, k] - lower[node, k])
        gap = max(lower[node, k] - box_upper[k], box_lower[k] - upper[node, k], 0.0)
        apart += gap * gap
    return width / (np.sqrt(apart) + softening) ** 4


@compiled_loop()
def open_widest(lower, upper, first, num_children, box_lower, box_upper, softening, most, chosen):
    """The nodes that are left when, from the root on, the one that is widest as seen from a box is opened each time.

    Returns how many there are, `most` at most. A heap; leaves sink to its bottom.
    """
    ranks = np.empty(most)
    chosen[0], num = 0, 1
    ranks[0] = _priority(0, lower, upper, num_children, box_lower, box_upper, softening)
    while True:
        node = chosen[0]
        if ranks[0] < 0.0 or num - 1 + num_children[node] > most:
            return num
        for number in range(num_children[node]):
            child = first[node] + number
            rank = _priority(child, lower, upper, num_children, box_lower, box_upper, softening)
            if number == 0:  # takes its parent's place
                at = 0
                while True:
                    below = 2 * at + 1
                    if below >= num:
                        break
                    if below + 1 < num and ranks[below + 1] > ranks[below]:
                        below += 1
                    if ranks[below] <= rank:
                        break
                    ranks[at], chosen[at] = ranks[below], chosen[below]
                    at = below
            else:
                at, num = num, num + 1
                while at > 0 and ranks[(at - 1) // 2] < rank:
                    ranks[at], chosen[at] = ranks[(at - 1) // 2], chosen[(at - 1) // 2]
                    at = (at - 1) // 2
            ranks[at], chosen[at] = rank, child


@compiled_loop()
def _is_crowded(lower, upper, first, num_children, leaves, box_lower, box_upper, most):
    """Are there more than so many leaves in a box?"""
    waiting, top, found = np.empty(leaves.size, np.int64), 1, 0
    waiting[0] = 0
    while top and found <= most:
        top -= 1
        node, inside, apart = waiting[top], True, False
        for k in range(lower.shape[1]):
            apart = apart or lower[node, k] > box_upper[k] or upper[node, k] < box_lower[k]
            inside = inside and lower[node, k] >= box_lower[k] and upper[node, k] <= box_upper[k]
        if apart:
            continue
        if inside or num_children[node] == 0:
            found += leaves[node]
        else:
            for child in range(first[node], first[node] + num_children[node]):
                waiting[top] = child
                top += 1
    return found > most


@compiled_loop()
def cut_tiles(lower, upper, first, num_children, leaves, root_lower, root_side, margin, most, corners, sides):
    """Boxes that fill the root, none with more than so many leaves within a margin (a share of its side) around it.

    Returns how many there are; minus one if there is no room for them.
    """
    dim, num_parts = lower.shape[1], 1 << lower.shape[1]
    waiting, widths = np.empty((DEEPEST_TILE * num_parts + 1, dim)), np.empty(DEEPEST_TILE * num_parts + 1)
    waiting[0], widths[0], top, num = root_lower, root_side, 1, 0
    box_lower, box_upper = np.empty(dim), np.empty(dim)
    while top:
        top -= 1
        side, corner = widths[top], waiting[top].copy()
        for k in range(dim):
            box_lower[k], box_upper[k] = corner[k] - margin * side, corner[k] + (1 + margin) * side
        is_deep = side <= root_side / (1 << DEEPEST_TILE - 1)
        if not is_deep and _is_crowded(lower, upper, first, num_children, leaves, box_lower, box_upper, most):
            for part in range(num_parts):
                widths[top] = side / 2
                for k in range(dim):
                    waiting[top, k] = corner[k] + side / 2 * ((part >> k) & 1)
                top += 1
            continue
        if num == sides.size:
            return -1
        corners[num], sides[num], num = corner, side, num + 1
    return num
