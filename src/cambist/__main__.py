"""`python -m cambist`."""

from cambist.cli.main import main

if __name__ == "__main__":
    main()
