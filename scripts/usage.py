"""--help and error messages for scripts with positional arguments."""
import sys


def check(text, arguments, is_right):
    """Prints the text and ends: with 0 for --help or -h, with 2 if the arguments are not right."""
    if "--help" in arguments or "-h" in arguments:
        print(text)
        sys.exit(0)
    if not is_right:
        print(text, file=sys.stderr)
        sys.exit(2)
