"""The command line. Only this package prints: reports to stdout, the rest to stderr."""
