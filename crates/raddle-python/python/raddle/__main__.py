"""`python -m raddle` is the command `raddle`."""

from . import main

main()
