"""What can happen to a correct program. Each error also inherits the builtin it resembles and ends with what to try."""


class AkrigError(Exception):
    """Any error that akrig raises on purpose, other than a wrong argument (`ValueError`)."""


class NotPositiveDefinite(AkrigError, ArithmeticError):
    """A covariance matrix could not be factorised, whatever jitter was added.

    Attributes:
        size: rows of the matrix.
        jitters: what was added to its diagonal, try by try, in units of the diagonal's mean.
    """

    def __init__(self, size: int, jitters: tuple[float, ...]) -> None:
        self.size = size
        self.jitters = jitters
        tried = ", ".join(f"{jitter:.0e}" for jitter in jitters if jitter)
        super().__init__(
            f"The {size} x {size} covariance matrix is not positive definite, even with {tried} of its mean diagonal "
            "added to the diagonal; raise the noise variance, or check that the kernel is a valid covariance function."
        )


class NotFinite(AkrigError, ArithmeticError):
    """A kernel, a mean or a parameter is NaN or infinite."""


class TrainingFailed(AkrigError, ArithmeticError):
    """A training step produced a loss or parameters that are not finite; the model was put back as it was."""
