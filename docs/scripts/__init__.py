"""What makes the generated parts of the documentation: `python -m docs.scripts`."""
