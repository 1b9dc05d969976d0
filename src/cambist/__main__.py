"""`python -m cambist`, and the `cambist` command."""


def main() -> None:
    """Run a command."""
    # Every child process imports this module again, and must not load the commands.
    from cambist.cli.main import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    main()
