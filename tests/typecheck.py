"""The run-time type checker of the tests: beartype, with whole numbers welcome where floats are."""

from beartype import BeartypeConf, beartype

checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
