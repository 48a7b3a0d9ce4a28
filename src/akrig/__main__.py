"""`python -m akrig`, the same as `akrig`."""

from akrig.cli import main

main()
