"""`python -m sagaproof` is the command `sagaproof`."""

from sagaproof._doors.cli import main

if __name__ == "__main__":
    main()
