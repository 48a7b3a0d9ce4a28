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


class ConfigError(AkrigError, ValueError):
    """Settings that cannot be: all that is wrong with them, at once.

    Attributes:
        problems: one sentence each.
    """

    def __init__(self, source: str, problems: list[str]) -> None:
        self.problems = problems
        if len(problems) == 1:
            super().__init__(f"{source}: {_ended(problems[0])}")
        else:
            listed = "\n".join(f"  - {_ended(problem)}" for problem in problems)
            super().__init__(f"{source} has {len(problems)} problems:\n{listed}")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."


class PlanRefused(AkrigError, ValueError):
    """A strategy planned waypoints where the vehicle must not go."""


class NowhereToGo(PlanRefused):
    """There is no place that may be visited now: in a survey, none from which the boat still comes home."""


class FenceBreach(AkrigError, RuntimeError):
    """The vehicle was outside its fence."""


class LinkLost(AkrigError, ConnectionError):
    """No boat is heard, or the line to it cannot be opened."""


class BoatRefused(AkrigError, RuntimeError):
    """The boat will not do what it was asked, and said why or did not."""


class Interrupted(AkrigError, RuntimeError):
    """Somebody stopped akrig while it waited for the boat; the boat was not touched."""


class UnsafeStart(AkrigError, RuntimeError):
    """What was found before the start makes a survey dangerous."""


class StalledMission(AkrigError, RuntimeError):
    """Leg after leg brought no reading."""


class LogExhausted(AkrigError, EOFError):
    """A recorded log has no more legs to replay."""


class BrokenJournal(AkrigError, ValueError):
    """A journal that cannot be trusted: damaged in the middle, or written by a newer akrig."""


class JournalNotWritten(AkrigError, OSError):
    """The journal could not be written, for instance because the disk is full; what was written before is safe."""


class RunFolderError(AkrigError, OSError):
    """A run folder that exists already, is in use, is not writable, or is none."""


class StudyError(AkrigError, RuntimeError):
    """A study that cannot begin or go on; what is stored stays."""


class StudyFolderError(AkrigError, OSError):
    """A folder of results that belongs to another study, another format, or is not writable."""


class ChartError(AkrigError, RuntimeError):
    """A map of soundings that cannot be made, or go on; what is done is kept."""


class NoWorkers(AkrigError, RuntimeError):
    """Nobody can compute: what it takes is not on this machine."""


class SchedulerLost(NoWorkers, ConnectionError):
    """A scheduler that cannot be reached, or was lost."""


class InvalidField(AkrigError, ValueError):
    """A raster that cannot be mapped, or a file that cannot be read as one."""


class OutsideField(AkrigError, ValueError):
    """A place where the field is not defined."""


class UnknownField(AkrigError, KeyError):
    """A name that is not in the catalogue, or whose data are not on this machine."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError would show the sentence in quotes


class DownloadFailed(AkrigError, OSError):
    """A field could not be fetched; nothing was left behind."""


class PageError(AkrigError, OSError):
    """The page cannot be served: its port is taken, or what serves it is not installed."""
