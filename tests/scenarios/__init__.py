"""What the tool says of small programs, and whether it is so: see the README beside."""
