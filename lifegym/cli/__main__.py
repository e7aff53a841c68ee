"""``python -m lifegym.cli``."""

from lifegym.cli import main

main()
