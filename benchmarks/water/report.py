"""What came of the surveys, as a table and in a few lines."""

from collections.abc import Iterable, Sequence

from benchmarks.water.survey import Row, is_well

HEADER = (
    "| survey | hull | faults | ended | nearest border (m) | at the end | drift in 10 min (m) | soundings kept | "
    "`resume` worked | helped |"
)
RULE = "| ---: | --- | --- | --- | ---: | --- | ---: | ---: | ---: | ---: |"


def table(rows: Iterable[Row]) -> str:
    return "\n".join([HEADER, RULE, *(_line(row) for row in rows)])


def _line(row: Row) -> str:
    name = f"{row['seed']}{'' if is_well(row) else ' **!**'}"
    cells = [name, row["hull"], "; ".join(row.get("done", row["faults"])) or "none came", row["ended"]]
    if "error" in row:
        return "| " + " | ".join([*cells, *[""] * 6]) + " |"
    end = "home" if row["at_home"] else f"{row['from_home']:.0f} m from home"
    kept, worked = row["soundings"], sum(not why for why in row["resumes"])
    cells += [
        f"{row['clearance']:.1f}",
        end,
        f"{row['drift']:.1f}",
        f"{kept['kept']} of {kept['brought'] - kept['unread']}",
        f"{worked} of {len(row['resumes'])}",
        str(len(row["helps"])),
    ]
    return "| " + " | ".join(cells) + " |"


def summary(rows: Sequence[Row]) -> str:
    seen = [row for row in rows if "error" not in row]
    resumes = [why for row in seen for why in row["resumes"]]
    lines = [
        f"{sum(map(is_well, rows))} of {len(rows)} surveys without fault of akrig's",
        f"outside the fence or in a keep-out while akrig had the boat: {sum(row['clearance'] <= 0 for row in seen)}",
        f"ended at home: {sum(row['at_home'] for row in seen)}; in a hold: {sum(not row['at_home'] for row in seen)}; "
        f"adrift: {sum(not row['holds'] or row['clearance_afterwards'] <= 0 for row in seen)}",
        f"soundings lost: {sum(max(row['soundings']['lost'], 0) for row in seen)} of "
        f"{sum(row['soundings']['brought'] for row in seen)}",
        f"`resume` worked: {sum(not why for why in resumes)} of {len(resumes)}",
        f"journals that only grew: {sum(row['grew'] for row in seen)} of {len(seen)}",
    ]
    return "\n".join(f"- {line}" for line in lines)
