"""``python -m minority`` is the ``minority`` command."""

from minority_reports.cli import main

if __name__ == "__main__":
    main()
