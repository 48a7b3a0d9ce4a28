"""2^y = 2^k 2^f, k the integer next to y, |f| <= 1/2. Our own, because it vectorises in numba, and libm's does not."""

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

# Numbers smaller than 2^-99 = 1e-30 are of no consequence, and subnormal numbers would slow everything down.
LOG2_SMALLEST = -99.0
SMALLEST = 2.0**LOG2_SMALLEST
LOG2_E = 1.4426950408889634
_ROUNDING = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer, kept in the low bits


@intrinsic
def _bits(_typing_context, _number):
    def codegen(_context, builder, _signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), codegen


@intrinsic
def _from_bits(_typing_context, _bits_of_number):
    def codegen(_context, builder, _signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), codegen


@njit(fastmath={"contract"}, inline="always")
def whole_and_fraction(y):
    """(t, f): the low bits of t are k."""
    y = y if y > LOG2_SMALLEST else LOG2_SMALLEST  # max() would treat NaN apart and cost more
    t = y + _ROUNDING
    return t, y - (t - _ROUNDING)


@njit(fastmath={"contract"}, inline="always")
def power_of_whole(t):
    return _from_bits((_bits(t) + 1023) << 52)  # pyright: ignore[reportCallIssue]


@njit(fastmath={"contract"}, inline="always")
def power_of_fraction(f):
    """The Chebyshev interpolant of degree 10 (relative error 3e-16), by Estrin's scheme: short dependency chains."""
    f2 = f * f
    f4 = f2 * f2
    low = (1.0 + f * 0.69314718055995) + (0.24022650695910097 + f * 0.05550410866444742) * f2
    mid = (0.009618129107606871 + f * 0.0013333558230215262) + (
        0.00015403530441765088 + f * 1.5252657229551429e-05
    ) * f2
    high = (1.321544257022465e-06 + f * 1.0208696429374313e-07) + 7.072589488396345e-09 * f2
    return low + (mid + high * f4) * f4


@njit(fastmath={"contract"}, inline="always")
def exp2_nonpositive(y):
    """2^y for y <= 0, not below SMALLEST."""
    t, f = whole_and_fraction(y)
    return power_of_whole(t) * power_of_fraction(f)
