"""What each kind of evidence on the width of a source weighs, and why.

Calibrated by reading some four hundred casts in public training, serving and model
code: no router, classifier, detector or reward model among them passes, and of the
casts on language-model logits mostly those fail that say nothing but `logits`.
"""

from __future__ import annotations

ENOUGH = 3
"""A name with one thing to bear it out, or one statement of fact: medium confidence."""
SURE = 5
"""A statement of fact and a name, or two facts: high confidence."""

NAMED_LOGITS = 2
"""Every classifier has logits too, so one short of enough."""
NAMED_FOR_TOKENS = 3
"""`lm_logits`, `vocab_parallel_logits`: both what it is and along which axis."""
NAMED_FOR_SYMBOLS = 3
"""`ctc_log_probs`, `joint_out`: what speech recognition has over its symbols."""
NAMED_SCORES = 1
"""Log-probabilities and scores are as often one number a token, gathered before."""
EMBEDDING_TABLE = 3
"""A table of embeddings has a row for each token. Its last axis is another, so that
shapes and sizes are no evidence on it."""
LANGUAGE_HEAD = 3
"""What the head of a language model returns is a score for each token."""
MADE_WIDE = 3
"""The class or the file makes the module with a size such as `vocab_size`,
`num_items`, or a number above twenty thousand, or ties its weights to such a one."""
MADE_OF_A_THOUSAND = 1
"""Made with, or viewed by, a number above a thousand: hidden states have such, too, so
that it bears out a name, and is nothing without."""
MULTIPLIED_BY_MANY = 3
"""Similarities to a corpus, a catalogue or all entities have an axis of those."""
CALLED_VOCABULARY = 3
"""The code itself calls the size of the last axis `vocab_size`, or writes it down."""
CALLED_V = 2
"""The same by the bare letter, with batch and sequence beside it. Beside heads and
keys it is the value dimension of attention, and nothing."""
CALLED_V_ALONE = 1
"""The bare letter with nothing beside it."""
SAID_TO_BE_VOCABULARY = 3
"""A message about the size of this tensor, or its line in the docstring, says so."""
SHARES_AXIS = 3
"""Gathered by what `topk` finds in a tensor that is vocab-wide: their last axes are
one."""
CHOOSES_TOKEN = 2
"""What `argmax`, `topk` or a sampler makes of it is called a token, is decoded,
embedded, given as `input_ids`, or compared with an end-of-text or blank id."""
READ_BY_TOKENS = 1
"""Indexed by labels, or at the last position; rewards and classes can be too."""
LIKELIHOOD = 1
"""The logarithm of a softmax is for likelihoods; a plain softmax is any scorer's."""
TRANSCRIBES = 2
"""Log-probabilities beside a blank, or beside the lengths of what goes in and of the
target, as CTC and transducers have them: in full, for each frame."""
CONTEXT = 1
"""Token ids or a vocabulary in the function or its texts, a name like `beam_search`
around it.
Only beside a name or a fact, for nearly all code around a language model has it."""

NAMED_OTHERWISE = -4
"""More than a name and its support: routers are called with token ids and sliced by
position like everything else."""
NARROWED = -4
"""A sum, a gather, one column: the last axis is gone, whatever the name still says."""
SIZED_OTHERWISE = -4
"""`num_experts` is the size of the last axis."""
WRITTEN_OTHERWISE = -3
"""A comment may be about something else on the line, so less than a name."""
HELD_OTHERWISE = -3
"""A class such as `…ForImageClassification` undoes a name with one support, and no
statement of fact."""
FILE_OTHERWISE = -2
"""The classes of the file are classifiers, detectors, reward or diffusion models, and
none is a language model."""
OTHER_SIZE_NEARBY = -2
"""Models with experts name the number of both."""
