"""Which part of a tensor a subscript, a split or a round of a loop takes."""
