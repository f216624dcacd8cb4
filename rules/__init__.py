"""One folder a rule; see CONTRIBUTING.md for how to add one."""
