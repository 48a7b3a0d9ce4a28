"""Every part that comes with akrig, declared once: the word in settings, where it is found, and how people see it.

Nothing is imported to read this, so that `--help` stays fast; what `where` names is imported when it is built. A part
of the user's own, named "module:Name", has the same standing: `find` makes its entry from its name.

What `where` names is called with those arguments that it names, out of the settings of its section and of what akrig
has for such a part (`config.own_parts`). To add a part: its file, and its entry here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, TypeVar

OTHER_COLOUR = "#5f666d"


@dataclass(frozen=True)
class Part:
    """One entry.

    Args:
        name: the word in settings.
        where: "module:name" of what makes it.
        label: in tables, legends, reports and on the page.
        sentence: what it is, for help and documents.
        colour: the same in every figure; parts that have none of their own are given free ones.
        mark: of its points in figures; "" to be given one that is free.
        phrase: what it is called within a sentence, if that is not its label.
        takes: words that it takes in `options`, beside those that its section of the settings has.
    """

    name: str
    where: str
    label: str
    sentence: str
    colour: str = OTHER_COLOUR
    mark: str = ""
    phrase: str = ""
    takes: tuple[str, ...] = ()

    @property
    def maker(self) -> Any:
        """What makes it, imported."""
        module, _, path = self.where.partition(":")
        return attrgetter(path)(import_module(module))


P = TypeVar("P", bound=Part)


def entries(*parts: P) -> Mapping[str, P]:
    return {part.name: part for part in parts}


def find(kind: Mapping[str, P], name: str) -> P:
    """The entry of a part, by the word in settings; of the user's own "module:Name", one that follows from it."""
    if name in kind:
        return kind[name]
    entry = type(next(iter(kind.values())))
    return entry(name, name, label_of(name), "Your own.")


def label_of(name: str) -> str:
    """Of a part that has no entry: of "module:Name", the name."""
    return name.partition(":")[2] or name


@dataclass(frozen=True)
class KernelPart(Part):
    """Args:
    line: its pattern in figures, as matplotlib has it; "" to be given one that is free.
    explains: does it tell how far it sees at each place?
    """

    line: Any = ""
    explains: bool = False


KERNELS = entries(
    KernelPart(
        "attentive", "akrig.kernels.attentive:AttentiveKernel.with_network", "attentive",
        "Learns where the field is rough and where it is smooth.",
        colour="#0b6e99", mark="o", phrase="the attentive kernel", line="-", explains=True,
    ),
    KernelPart(
        "rbf", "akrig.kernels.stationary:rbf", "rbf", "Equally smooth everywhere.",
        colour="#c8452d", mark="s", phrase="the RBF kernel", line="--",
    ),
    KernelPart(
        "matern", "akrig.kernels.stationary:matern", "matern", "Equally rough everywhere.",
        colour="#8460ad", mark="v", phrase="the Matérn kernel", line=(0, (5, 1, 1, 1, 1, 1)),
    ),
    KernelPart(
        "gibbs", "akrig.kernels.gibbs:GibbsKernel.with_network", "gibbs", "Learns a lengthscale at every point.",
        colour="#2f8f5f", mark="^", phrase="the Gibbs kernel", line=":", explains=True,
    ),
    KernelPart(
        "deep", "akrig.kernels.deep:deep", "deep", "RBF over features that a network learns.",
        colour="#c98a00", mark="D", phrase="deep kernel learning", line="-.",
    ),
)  # fmt: skip

REFERENCE = "attentive"  # the kernel that others are compared with
STANDARD_MODEL = "exact"  # where settings name none, as the paper's and those of old runs do
USUAL_MODEL = "combined"  # of the preset `default`: not worth a word

MODELS = entries(
    Part("exact", "akrig.gp.members:exact", "exact", "Exact Gaussian-process regression."),
    Part(
        "combined", "akrig.gp.members:combined", "combined",
        "Networks that learn at different paces, as one; calibrated on the way.",
        takes=("paces", "stationary", "prior", "least", "trust", "sharpness", "nearby"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class StrategyPart(Part):
    """Args:
    vehicle: who goes there, if the settings do not say.
    needs_plane: does it plan in two dimensions only?
    has_lines: does it drive along lines, as many as the budget allows?
    needs_pilot: must somebody else go first? What decides by a model's belief alone must wait for readings.
    """

    vehicle: str = "simulated"
    needs_plane: bool = False
    has_lines: bool = False
    needs_pilot: bool = False


STRATEGIES = entries(
    StrategyPart(
        "random", "akrig.strategies.candidates:Uniform", "random", "Anywhere.",
        phrase="random sampling", vehicle="teleport",
    ),
    StrategyPart(
        "active", "akrig.strategies.candidates:MaxEntropy", "active", "Where a reading is least certain.",
        phrase="active sampling", vehicle="teleport", needs_pilot=True,
    ),
    StrategyPart(
        "myopic", "akrig.strategies.candidates:Myopic", "myopic", "Somewhere uncertain and near: the paper's planner.",
        phrase="informative planning (myopic)", needs_pilot=True,
    ),
    StrategyPart(
        "lawnmower", "akrig.strategies.lawnmower:Lawnmower", "lawnmower", "Back and forth along parallel lines.",
        needs_plane=True, has_lines=True, needs_pilot=True,  # its first line is that of epoch 1
    ),
    StrategyPart(
        "route", "akrig.strategies.routes:Route", "route", "The way that leaves least open, planned to the end.",
        needs_plane=True,
        takes=("objective", "target", "goal", "doubt", "stretch", "num_cells", "effort"),
    ),
    StrategyPart(
        "lawnmower-infill", "akrig.strategies.baselines:LawnmowerInfill", "lawnmower and infill",
        "Lines over everything, then places that vary most.", needs_plane=True, takes=("share", "num_cells"),
    ),
    StrategyPart(
        "lap-and-spine", "akrig.strategies.baselines:LapAndSpine", "lap and spine",
        "Once round, and once through the middle.", needs_plane=True, takes=("corners", "num_cells"),
    ),
    StrategyPart(
        "cover", "akrig.strategies.baselines:Cover", "cover", "Every place within reach of a reading, greedily.",
        needs_plane=True, takes=("num_cells",),
    ),
    StrategyPart(
        "tree-search", "akrig.strategies.baselines:TreeSearch", "tree search", "A few legs ahead, tried at random.",
        needs_plane=True, takes=("depth", "branching", "tries", "curiosity", "num_cells"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class PilotPart(Part):
    """Args:
    goes_first: or does the strategy begin by itself?
    """

    goes_first: bool = True


PILOTS = entries(
    PilotPart("bezier", "akrig.strategies.pilot:BezierPilot", "bezier", "Along one smooth curve."),
    PilotPart("lawnmower", "akrig.strategies.pilot:LawnmowerPilot", "lawnmower", "Along a coarse lawnmower pattern."),
    PilotPart(
        "none", "akrig.strategies.pilot:no_pilot", "none", "The strategy begins by itself.", goes_first=False
    ),
)  # fmt: skip

SENSORS = entries(
    Part("point", "akrig.vehicles.sensors:PointSensor", "point", "Reads the field at a point, with Gaussian noise."),
)


@dataclass(frozen=True)
class VehiclePart(Part):
    """Args:
    reads: where; "" if nobody knows.
    needs_plane: does it move in two dimensions only?
    swing: spacings between readings that it may stray from the workspace while turning.
    readings_per_stop: that it takes while it slows down and turns at the end of a line.
    on_water: is it a boat, with an area to survey?
    """

    reads: Literal["", "at waypoints", "on its way", "from a log"] = ""
    needs_plane: bool = False
    swing: float = 0.0
    readings_per_stop: int = 0
    on_water: bool = False

    @property
    def replays(self) -> bool:
        return self.reads == "from a log"


VEHICLES = entries(
    VehiclePart(
        "teleport", "akrig.vehicles.simulated:Teleport", "teleport", "Simply there.", reads="at waypoints"
    ),
    VehiclePart(
        "simulated", "akrig.vehicles.simulated:SimulatedVehicle.with_spacing", "simulated", "The paper's boat.",
        reads="on its way", needs_plane=True, swing=0.5, readings_per_stop=4,  # a swing of 0.35 was seen
    ),
    VehiclePart("replay", "akrig.journal.legs:replay_of", "replay", "What was recorded.", reads="from a log"),
    VehiclePart(
        "mavlink", "akrig.survey.build:build_boat", "mavlink", "A boat with an autopilot.", on_water=True
    ),
)  # fmt: skip


@dataclass(frozen=True)
class FieldPart(Part):
    """Made on the spot, shipped with matplotlib, or the paper's data when they are on this machine.

    Args:
        cells: rows and columns.
        extent: lower and upper corner of where it is placed; `None` where its own georeference puts it.
        file: its name in a folder of data.
        url: where the file comes from.
        sha256: of the file.
        cell_margin: see `GridField`; used with nearest-cell reading only.
    """

    cells: tuple[int, int] = (256, 256)
    extent: tuple[tuple[float, ...], tuple[float, ...]] | None = ((0, 0), (1000, 1000))
    units: str = "m"
    quantity: str = "elevation"
    file: str | None = None
    url: str | None = None
    sha256: str | None = None
    interpolation: Literal["nearest", "bilinear"] = "bilinear"
    cell_margin: float = 0.0

    @property
    def kind(self) -> Literal["procedural", "bundled", "data"]:
        """`procedural` needs a seed only, `bundled` a file of matplotlib, `data` a file in AKRIG_DATA or the cache."""
        return "data" if self.url else "bundled" if self.file else "procedural"


_PAPER = "https://raw.githubusercontent.com/Weizhe-Chen/attentive_kernels/1ccb7255e1a09d215af39da3bb1efe6305cf4dea/data"
_MARGIN = 1e-4  # the authors': with it, and only with it, the values of helens_y_train.csv are those of helens.npy


def _terrain(name: str, sentence: str) -> FieldPart:
    return FieldPart(name, f"akrig.fields.terrain:{name}", name, sentence)


def _sample(name: str, sentence: str, file: str, *, cells: tuple[int, int]) -> FieldPart:
    return FieldPart(name, f"akrig.fields.samples:{name}", name, sentence, cells=cells, extent=None, file=file)


def _of_paper(name: str, folder: str, sha256: str, *, sentence: str, **about: Any) -> FieldPart:
    about |= {"interpolation": "nearest", "cell_margin": _MARGIN, "file": f"{name}.npy", "sha256": sha256}
    url = f"{_PAPER}/{folder}/preprocessed/{name}.npy"
    return FieldPart(name, "akrig.fields.raster:read_raster", name, sentence, url=url, **about)


def _tile(name: str, sha256: str, *, place: str) -> FieldPart:
    about = {"cells": (360, 360), "extent": ((-11, -11), (11, 11)), "units": "", "quantity": "grey level"}
    return _of_paper(name, "srtm", sha256, sentence=f"{place}: the paper's benchmark", **about)


FIELDS = entries(
    _terrain("ridges", "A plain in the south-west, mountains with sharp crests in the north-east"),
    _terrain("lake", "A lake in gentle land; heights above the water, so that the bed is negative"),
    _terrain("river", "A river that meanders from west to east, cut into rolling hills"),
    _terrain("halves", "A flat west and a rugged east, with a fault between them"),
    _terrain("islands", "An archipelago: heights above the sea, its floor forty metres down"),
    _sample("jacksboro", "Jacksboro fault, Tennessee", "jacksboro_fault_dem.npz", cells=(344, 403)),
    _sample("topobathy", "Vancouver Island and its sea floor", "topobathy.npz", cells=(91, 120)),
    _tile(
        "N17E073", "a83da6ecf20d48346cbff8dc031c396b155e6b41cc81cb1d50bc142ac72756b4", place="Western Ghats, India"
    ),
    _tile(
        "N43W080", "94c1161c8a5cca7b72d22ab50f7fdd94bf332d5a8022c8370addff32e1603b9d", place="Toronto and Lake Ontario"
    ),
    _tile("N45W123", "214bd67ffe43f40c41c5e273259bce2b3f5e2e9c0dd257f8d42a6477b26dc009", place="Portland, Oregon"),
    _tile(
        "N47W124", "81f19ee4ecddaae1e86e229aefc420cc4dc04853d1bd9f4e58962509eac567e5",
        place="Olympic Mountains, Washington",
    ),
    _of_paper(
        "helens", "volcano", "d252e96a57705fa1f7217047f777950cafafff4272356210ad6771423198cd26",
        sentence="Mount St. Helens after the eruption: the paper's first figure",
        cells=(100, 100), extent=((0, 0), (1, 1)), units="ft",
    ),
)  # fmt: skip
