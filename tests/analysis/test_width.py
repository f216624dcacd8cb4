"""Which sources are taken to be vocab-wide, and on what grounds.

Each snippet has one cast; the situations that must stay silent come first.
"""

from __future__ import annotations

import ast
import textwrap

import pytest

from upcast_lint.analysis.casts import recognise_cast
from upcast_lint.analysis.facts import Module
from upcast_lint.analysis.width.verdict import Width, judge_width
from upcast_lint.source import Source

_IMPORTS = "import torch\nimport torch.nn.functional as F\n"


def judge(
    code: str,
    path: str = "project/losses.py",
    vocab: tuple[str, ...] = (),
    not_vocab: tuple[str, ...] = (),
) -> Width:
    """The verdict on the source of the first cast in `code`."""
    text = _IMPORTS + textwrap.dedent(code)
    module = Module.parse(Source.from_bytes(text.encode(), path))
    for node in ast.walk(module.tree.module):
        facts = module.facts(module.tree.scope(node))
        cast = recognise_cast(node, facts)
        if cast is not None:
            return judge_width(cast.source, facts, vocab, not_vocab)
    raise AssertionError("no cast in the snippet")


SILENT = {
    "the_largest_of_each_row_by_its_name": """
        def spread(output, input_ids):
            vocab_max_logits = output.detach().max(-1).values.float()
            return vocab_max_logits[:, -1]
    """,
    "the_score_of_a_reranker": """
        class TinyReranker:
            def score(self, logits, input_ids):
                return logits.float()[:, -1]
    """,
    "a_head_that_the_class_makes_for_labels": """
        class Model:
            def __init__(self, config):
                self.out = nn.Linear(config.hidden_size, config.num_labels)

            def forward(self, hidden, input_ids):
                logits = self.out(hidden)
                return logits.float()[:, -1]
    """,
    "a_head_of_ten": """
        class Model:
            def __init__(self):
                self.fc = nn.Linear(768, 10)

            def forward(self, hidden, input_ids):
                logits = self.fc(hidden)
                return logits.float()[:, -1]
    """,
    "a_layer_of_a_few_thousand": """
        class Mlp:
            def __init__(self):
                self.up = nn.Linear(1024, 4096)

            def forward(self, x):
                return self.up(x).float()[:, -1]
    """,
    "two_classes_that_make_one_head_differently": """
        class A:
            def __init__(self, vocab_size):
                self.head = nn.Linear(8, vocab_size)

        class B:
            def __init__(self, num_labels):
                self.head = nn.Linear(8, num_labels)

        def run(model, x):
            return model.head(x).float()[:, -1]
    """,
    "what_a_table_returns": """
        class Model:
            def __init__(self, vocab_size, dim):
                self.inputs = nn.Embedding(vocab_size, dim)

            def forward(self, ids):
                return self.inputs(ids).float()[:, -1]
    """,
    "a_table_of_a_few_rows": """
        class Model:
            def __init__(self, dim):
                self.kinds = nn.Embedding(3, dim)

            def forward(self, ids):
                return self.kinds.weight.float()[ids]
    """,
    "similarities_within_a_batch": """
        def rank(query_reps, passage_reps):
            scores = query_reps @ passage_reps.T
            return scores.float()[:, 0]
    """,
    "made_of_what_the_docstring_calls_scores_over_the_vocabulary": '''
        def loss(self, values, i):
            """The loss.

            Args:
                values: scores over the whole vocabulary
            """
            values = self.project(values)
            return values.float().gather(-1, i)
    ''',
    "a_message_about_something_else": """
        def entropy(values, k):
            if values.shape[-1] == 0:
                raise ValueError("no experts")
            return values.float().topk(k)
    """,
    "a_docstring_about_experts": '''
        def pick(router_logits, i):
            """Pick some.

            Args:
                router_logits: scores over experts, not over the vocabulary
            """
            return router_logits.float().gather(-1, i)
    ''',
    "log_probs_of_one_symbol_each_with_a_blank": """
        def decode(self, log_probs, ids, blank_id):
            picked = log_probs.gather(-1, ids)
            return picked.float()[:, -1]
    """,
    "indices_that_are_classes": """
        def show(self, logits):
            best = logits.float().argmax(-1)
            return self.names[best]
    """,
    "values_called_like_tokens": """
        def best(self, scores):
            token_scores, _ = scores.float().max(-1)
            return token_scores
    """,
    "a_copy_that_is_called_for_experts": """
        def route(self, hidden, input_ids):
            expert_logits = self.net(hidden).float()
            return expert_logits[:, -1]
    """,
    "a_reranker_with_one_number_a_text": """
        def score(model, tokenizer, texts):
            logits = model(**tokenizer(texts)).logits.view(-1)
            return logits.float()[0]
    """,
    "gathered_by_the_best_of_a_router": """
        def match(student, router_logits, input_ids, k):
            best = router_logits.topk(k).indices
            return student.float().gather(-1, best)
    """,
    "a_function_in_a_file_of_classifiers": """
        class TinyForImageClassification:
            pass

        def compare(logits, input_ids):
            return logits.float()[:, -1]
    """,
    "a_function_in_a_file_of_a_diffusion_model": """
        class TinyDiffusion:
            pass

        def compare(logits, token_ids):
            return logits.float()[:, -1]
    """,
    "a_mask_with_a_blank": """
        def weigh(mask, blank_id):
            return mask.float()[:, -1]
    """,
    "num_classes_of_a_classifier": """
        def score(logits, input_ids):
            batch, num_classes = logits.shape
            return logits.float()[:, -1]
    """,
    "a_neutral_name": """
        def pick(grid, places):
            return grid.float().gather(-1, places)
    """,
    "a_neutral_name_in_a_decoding_function": """
        def greedy_decode(grid, input_ids, vocab_size):
            return grid.float().argmax(-1)
    """,
    "only_the_name_logits": """
        def pick(logits, places):
            return logits.float().gather(-1, places)
    """,
    "router_logits_with_token_ids_around": """
        def route(router_logits, input_ids):
            return router_logits.float().topk(2, dim=-1)
    """,
    "logits_made_by_a_gate": """
        def forward(self, hidden, input_ids):
            logits = self.gate(hidden)
            return logits.float().topk(self.top_k, dim=-1)
    """,
    "logits_in_a_router_class": """
        class TopKRouter:
            def forward(self, logits, token_ids):
                return logits.float().topk(2)
    """,
    "logits_that_unpack_to_experts": """
        def balance(logits, input_ids):
            num_tokens, num_experts = logits.shape
            return logits.float().topk(2)
    """,
    "logits_viewed_by_num_labels": """
        def score(self, logits, input_ids):
            logits = logits.view(-1, self.num_labels)
            return logits.float()[:, -1]
    """,
    "sequence_classification": """
        class TinyForSequenceClassification:
            def forward(self, input_ids):
                logits = self.head(self.model(input_ids))
                return logits.float()[:, -1]
    """,
    "image_classification": """
        class TinyForImageClassification:
            def predict(self, pixels):
                logits = self.model(pixels).logits
                return logits.float().argmax(-1)
    """,
    "class_queries_of_a_detector": """
        def post_process(class_queries_logits):
            return class_queries_logits.float().max(-1)
    """,
    "similarities_of_images_and_texts": """
        def rank(model, input_ids, pixels):
            out = model(input_ids=input_ids, pixels=pixels)
            return out.logits_per_image.float().argmax(-1)
    """,
    "start_positions_of_an_answer": """
        def answer(output, input_ids):
            start_logits = output.start_logits
            return start_logits.float().argmax(-1)
    """,
    "attention_scores": """
        def attend(attention_scores, input_ids):
            return attention_scores.float()[:, -1]
    """,
    "rewards_from_the_logits_of_a_model": """
        def score(model, input_ids, last):
            rewards = model(input_ids=input_ids).logits.float().squeeze(-1)
            return rewards.gather(1, last)
    """,
    "logits_that_become_rewards_through_a_helper": """
        def score(model, input_ids):
            logits = model(input_ids=input_ids).logits.float()
            rm_scores = local(logits)
            return rm_scores[:, -1]
    """,
    "a_reward_function": """
        def compute_reward(logits, input_ids):
            return logits.float()[:, -1]
    """,
    "one_column_of_logits": """
        def stop(outputs, input_ids):
            return outputs.logits[:, -1, 0].float()[0]
    """,
    "columns_picked_already": """
        def nll(logits, input_ids, vocab_size):
            return logits.gather(-1, input_ids).float()[:, -1]
    """,
    "columns_indexed_already": """
        def nll(logits, labels, vocab_size):
            return logits[torch.arange(4), labels].float()[-1]
    """,
    "the_kept_few": """
        def match(teacher_topk_logits, input_ids, vocab_size):
            return teacher_topk_logits.float()[:, -1]
    """,
    "values_of_topk": """
        def match(logits, vocab_size):
            values, places = torch.topk(logits, 8, dim=-1)
            return values.float()[:, -1]
    """,
    "a_sum_over_logits": """
        def total(logits, vocab_size):
            return logits.sum(-1).float()[:, -1]
    """,
    "log_probs_of_one_token_each": """
        def ratio(old_logprobs, input_ids, vocab_size):
            return old_logprobs.float()[:, -1]
    """,
    "log_probs_of_a_helper": """
        def ratio(logits, input_ids):
            logprobs = selective_log_softmax(logits, input_ids)
            return logprobs.float()[:, -1]
    """,
    "a_shape_in_a_comment_without_vocabulary": """
        def pick(model, input_ids):
            scores = model(input_ids)  # [B, S]
            return scores.float()[:, -1]
    """,
    "a_comment_with_keys_and_values": """
        def attend(mixed, input_ids):
            part = mixed[0]  # (q, k, v)
            return part.float()[:, -1]
    """,
    "an_interval_is_no_shape": """
        def shift(places, local_vocab):
            # in [0, local_vocab_size)
            places = places + 1
            return places.float()[:, -1]
    """,
    "a_table_of_positions": """
        def look_up(self, places):
            return F.embedding(places, self.position_embedding.weight.float())
    """,
    "a_table_of_classes": """
        def look_up(self, labels):
            return F.embedding(labels, self.weight.float())
    """,
    "the_scale_of_logits": """
        def scaled(self, input_ids, vocab_size):
            return self.logit_scale.float()[0]
    """,
    "a_mask_of_logits": """
        def pick(mask_logits, input_ids):
            return mask_logits.float()[:, -1]
    """,
    "value_dimension_of_attention_by_its_letter": """
        def decode(state, q):
            B, H, K, V = state.shape
            return state.float()[:, -1]
    """,
    "a_hidden_state_of_a_language_model": """
        class TinyForCausalLM:
            def forward(self, input_ids, vocab_size):
                hidden_states = self.model(input_ids)
                return hidden_states.float()[:, -1]
    """,
}


@pytest.mark.parametrize("situation", SILENT)
def test_not_vocab_wide(situation: str) -> None:
    verdict = judge(SILENT[situation])
    assert not verdict.is_vocab_wide, verdict


@pytest.mark.parametrize(
    "path",
    [
        "models/moe/topk.py",
        "models/tiny/image_processing_tiny.py",
        "pipelines/text_classification.py",
    ],
)
def test_not_vocab_wide_for_the_path_of_the_file(path: str) -> None:
    code = """
        def pick(logits, input_ids):
            return logits.float().topk(2)
    """
    assert judge(code).is_vocab_wide
    assert not judge(code, path).is_vocab_wide


def test_not_vocab_wide_where_a_folder_far_above_speaks_of_detection() -> None:
    code = """
        def pick(logits, input_ids):
            return logits.float().topk(2)
    """
    assert judge(code, "/home/me/fraud-detection/src/lm/loss.py").is_vocab_wide


WIDE = {
    "a_head_that_the_class_makes_for_the_vocabulary": """
        class Model:
            def __init__(self, config):
                self.out = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

            def forward(self, hidden):
                return self.out(hidden).float()[:, -1]
    """,
    "a_head_that_the_class_makes_for_a_catalogue": """
        class Recommender:
            def __init__(self, hidden, num_items):
                self.fc = nn.Linear(hidden, num_items + 1)

            def predict(self, seq):
                return self.fc(self.encode(seq)).float().topk(10)
    """,
    "a_head_of_thirty_thousand": """
        class Model:
            def __init__(self):
                self.fc = nn.Linear(768, 30_522)

            def forward(self, hidden):
                return self.fc(hidden).float()[:, 0]
    """,
    "logits_of_a_head_of_a_few_thousand": """
        class Model:
            def __init__(self):
                self.fc = nn.Linear(512, 5000)

            def forward(self, hidden):
                logits = self.fc(hidden)
                return logits.float()[0]
    """,
    "a_head_as_long_as_the_tokenizer": """
        def train(hidden, tokenizer, size):
            head = nn.Linear(size, len(tokenizer))
            return head(hidden).float()[:, -1]
    """,
    "a_head_of_another_class_of_the_file": """
        class Head:
            def __init__(self, hidden, n_vocab):
                self.to_words = ColumnParallelLinear(hidden, n_vocab)

        def generate(model, hidden):
            return model.to_words(hidden).float()[:, -1]
    """,
    "a_head_that_shares_its_weights_with_a_table": """
        class Model:
            def __init__(self, vocab_size, dim):
                self.inputs = nn.Embedding(vocab_size, dim)
                self.outputs.weight = self.inputs.weight

            def forward(self, hidden):
                return self.outputs(hidden).float()[:, -1]
    """,
    "the_weights_of_a_table_that_the_class_makes": """
        class Model:
            def __init__(self, num_tokens, dim):
                self.symbols = nn.Embedding(num_tokens, dim)

            def pick(self, ids):
                return self.symbols.weight.float()[ids]
    """,
    "a_product_with_a_table_that_the_class_makes": """
        class Model:
            def __init__(self, n_entities, dim):
                self.ent = nn.Embedding(n_entities, dim)

            def rank(self, query, gold):
                scores = query @ self.ent.weight.t()
                return scores.float().gather(-1, gold)
    """,
    "similarities_to_a_corpus": """
        def search(query, corpus_embeddings, k):
            found = torch.matmul(query, corpus_embeddings.T)
            return found.float().topk(k)
    """,
    "a_message_about_the_size": """
        def entropy(values, k):
            if values.shape[-1] == 0:
                raise ValueError("an empty vocabulary")
            return values.float().topk(k)
    """,
    "an_assertion_about_the_size": """
        def pick(x, i, size):
            assert x.size(-1) == size, f"{size} is not the size of the vocabulary"
            return x.float().gather(-1, i)
    """,
    "a_docstring_about_a_vocabulary": '''
        def pick(values, i):
            """Pick some.

            Args:
                values: scores over the whole vocabulary
            """
            return values.float().gather(-1, i)
    ''',
    "made_of_what_the_docstring_gives_another_shape": '''
        def loss(self, predictions, targets, k):
            """The divergence.

            Args:
                predictions: of the student (size [s, b, h])
                targets: of the teacher (size [s, b, h])
            """
            predictions, targets = self.project(predictions, targets)
            assert k <= targets.size(-1), f"{k} is larger than the vocab size"
            best, index = torch.topk(targets, k, dim=-1)
            return predictions.float().gather(-1, index) - best
    ''',
    "a_shape_with_a_blank": """
        def step(self, x):
            out = self.net(x)  # [B, T, U, V + 1]
            return torch.log_softmax(out, -1).float()[:, 0]
    """,
    "a_shape_called_for_the_tokenizer": """
        def check(x, tokenizer, i):
            assert x.size(-1) == len(tokenizer)
            return x.float().gather(-1, i)
    """,
    "posteriors_of_ctc": """
        def align(ctc_log_probs, lengths):
            wide = ctc_log_probs.float()
            return [row[:2] for row in wide]
    """,
    "what_a_joint_network_returns": """
        def step(joint_out):
            return joint_out.float().max(-1)
    """,
    "log_probs_with_the_lengths_of_the_target": """
        def loss(log_probs, targets, input_lengths, target_lengths):
            return log_probs.float()[:3]
    """,
    "log_probs_with_a_blank": """
        def decode(self, logp, blank_id):
            best = logp.float().argmax(-1)
            return best != blank_id
    """,
    "indices_that_are_decoded": """
        def show(self, logits):
            best = logits.float().argmax(-1)
            return self.tokenizer.batch_decode(best)
    """,
    "indices_that_are_the_next_input": """
        def step(model, probs):
            best = probs.log_softmax(-1).float().argmax(-1)
            return model(input_ids=best[:, None])
    """,
    "indices_compared_with_an_end": """
        def run(self, logits):
            values, best = logits.float().max(-1)
            return best.item() == self.eos_id
    """,
    "indices_that_a_sampler_returns": """
        def run(self, logits):
            token = self.sampler.sample(logits.float()[:, 0])
            return token
    """,
    "a_copy_that_is_called_logits": """
        def run(model, ids, labels):
            logits = model(ids).float()
            return logits.gather(-1, labels)
    """,
    "gathered_by_the_best_of_the_teacher": """
        def match(student, teacher, vocab_size, k):
            teacher = teacher.view(-1, vocab_size)
            values, best = torch.topk(teacher, k, dim=-1)
            return student.float().gather(-1, best)
    """,
    "num_classes_where_speech_is_transcribed": """
        class Decoder:
            def __init__(self, hidden, vocab_size):
                self.head = nn.Linear(hidden, vocab_size)

            def forward(self, x, blank_id):
                logits = self.head(x)
                batch, time, num_classes = logits.shape
                return logits.float()[:, -1]
    """,
    "a_language_model_in_a_file_of_classifiers": """
        class TinyForSequenceClassification:
            pass

        class TinyForCausalLM:
            def forward(self, input_ids):
                logits = self.model(input_ids).logits
                return logits.float()[:, -1]
    """,
    "the_head_of_a_language_model": """
        def forward(self, hidden):
            scores = self.lm_head(hidden)
            return scores.float()[:, -1]
    """,
    "the_head_given_as_weights": """
        def forward(self, hidden):
            scores = F.linear(hidden, self.lm_head.weight)
            return scores.float()[:, -1]
    """,
    "the_head_of_experts_in_a_language_model": """
        class TinyMoeForCausalLM:
            def forward(self, hidden):
                logits = self.lm_head(hidden)
                aux = balance(self.num_experts)
                return logits.float()[:, -1], aux
    """,
    "last_axis_named_for_the_vocabulary": """
        def distill(student, ids):
            student_logits = student.to(torch.float32)
            V_local = int(student_logits.shape[-1])
            return student_logits.gather(-1, ids % V_local)
    """,
    "unpacked_to_the_vocabulary": """
        def loss(scores, ids):
            batch, seq, vocab_size = scores.shape
            return scores.float().gather(-1, ids)
    """,
    "viewed_by_the_vocabulary": """
        def loss(self, scores, keep):
            flat = scores.float().view(-1, self.config.vocab_size)
            return flat[keep]
    """,
    "name_that_says_it_all": """
        def pick(vocab_parallel_logits, places):
            return vocab_parallel_logits.float().gather(-1, places)
    """,
    "logits_read_at_the_last_position": """
        def step(model, batch):
            logits = model(**batch).logits.float()
            return logits[:, -1, :]
    """,
    "logits_gathered_by_labels": """
        def nll(logits, labels):
            return logits.float().gather(-1, labels.unsqueeze(-1))
    """,
    "logits_in_a_decoding_function": """
        def beam_search(logits):
            return logits.float().topk(4)
    """,
    "logits_with_token_ids_around": """
        def pick(outputs, input_ids, places):
            logits = outputs["logits"]
            return logits.float().gather(-1, places)
    """,
    "log_softmax_of_logits": """
        def top(self, last_token_logits):
            log_probs = F.log_softmax(last_token_logits, dim=1).to(torch.float32)
            return torch.topk(log_probs, k=5)
    """,
    "probabilities_that_choose_the_next_token": """
        def sample(probs):
            probs = probs.float()
            next_token = torch.argmax(probs, dim=-1)
            return next_token
    """,
    "a_comment_at_the_end_of_the_line": """
        def pick(model, ids):
            scores = model(ids)  # [batch, seq, vocab]
            return scores.float().gather(-1, ids)
    """,
    "a_comment_above_the_cast": """
        def pick(scores, ids):
            # [num_tokens, vocab_size // tp]
            wide = scores.float()
            return wide.gather(-1, ids)
    """,
    "a_docstring": '''
        def pick(scores, ids):
            """Pick columns.

            Args:
                scores: [B, S, V_local], of this rank
                ids: [B, S, K]
            """
            return scores.float().gather(-1, ids)
    ''',
    "a_jaxtyping_annotation": """
        def pick(scores: Float[Tensor, "batch seq vocab"], ids):
            return scores.float().gather(-1, ids)
    """,
    "rebound_by_its_own_cast_under_a_guard": """
        def pick(logits, labels):
            if logits.dtype != torch.float32:
                logits = logits.float()
            return logits.gather(-1, labels.unsqueeze(-1))
    """,
    "masked_rows_of_a_view": """
        def entropy(outputs, labels):
            shift_logits = outputs.logits[..., :-1, :].contiguous()
            vocab_size = shift_logits.size(-1)
            flat = shift_logits.view(-1, vocab_size)
            keep = labels != -100
            return torch.topk(flat[keep].float(), k=20)
    """,
    "embedding_weights": """
        def dump(self):
            return self.model.embed_tokens.weight.cpu().to(torch.float32)[:100]
    """,
    "a_table_looked_up_by_token_ids": """
        def forward(self, input_ids):
            return F.embedding(input_ids, self.weight.float())
    """,
    "a_table_whose_last_axis_is_written_down": '''
        def loss(lm_head_weight, num_labels):
            """Multiply by `lm_head_weight` (V, H)."""
            return lm_head_weight.float()[:100]
    ''',
    "a_closure_inside_a_function_on_tokens": """
        def run(model, input_ids):
            logits = model(input_ids)
            def head():
                return logits.float()[0]
            return head
    """,
    "handed_to_a_function_for_log_probs": """
        def forward(model, batch):
            scores = model(**batch).logits.float()
            return get_batch_logps(scores, batch)
    """,
}


@pytest.mark.parametrize("situation", WIDE)
def test_vocab_wide(situation: str) -> None:
    verdict = judge(WIDE[situation])
    assert verdict.is_vocab_wide, verdict
    assert verdict.grounds.because
    assert "V" in verdict.dimensions


def test_reasons_name_the_code_and_its_line() -> None:
    verdict = judge(WIDE["last_axis_named_for_the_vocabulary"])
    assert (
        "`V_local = int(student_logits.shape[-1])` (line 6)" in verdict.grounds.because
    )


def test_counter_evidence_is_shown_too() -> None:
    verdict = judge(SILENT["router_logits_with_token_ids_around"])
    assert verdict.grounds.against == ("`router_logits` speaks of experts",)


def test_no_estimate_where_no_shape_is_known() -> None:
    assert judge(SILENT["a_neutral_name"]).dimensions == ()


@pytest.mark.parametrize(
    ("situation", "dimensions"),
    [
        ("embedding_weights", ("V", "D")),
        ("a_table_looked_up_by_token_ids", ("V", "D")),
        ("log_softmax_of_logits", ("B", "V")),
        ("masked_rows_of_a_view", ("rows", "V")),
        ("a_comment_above_the_cast", ("B", "S", "V")),
        ("a_docstring", ("B", "S", "V")),
        ("logits_in_a_decoding_function", ("B", "S", "V")),
    ],
)
def test_dimensions(situation: str, dimensions: tuple[str, ...]) -> None:
    assert judge(WIDE[situation]).dimensions == dimensions


@pytest.mark.parametrize(
    ("source", "dimensions"),
    [
        ("logits[..., :-1, :]", ("B", "S", "V")),
        ("logits[:, 1:]", ("B", "S", "V")),
        ("logits[:, -1]", ("B", "V")),
        ("logits[:, -1:, :]", ("B", "V")),
        ("logits[0]", ("S", "V")),
        ("logits.squeeze(0)", ("S", "V")),
        ("logits[:, lo:hi, :]", ("B", "chunk", "V")),
        ("logits[attention_mask]", ("rows", "V")),
    ],
)
def test_dimensions_after_slices(source: str, dimensions: tuple[str, ...]) -> None:
    code = f"""
        def pick(logits, input_ids, attention_mask, lo, hi):
            return ({source}).float().argmax(-1)
    """
    assert judge(code).dimensions == dimensions


def test_a_configured_name_is_vocab_wide() -> None:
    verdict = judge(SILENT["a_neutral_name"], vocab=("gr*",))
    assert verdict.is_vocab_wide
    assert verdict.grounds.because == ("`grid` is configured in vocab-names",)
    assert verdict.dimensions == ("B", "S", "V")


def test_a_configured_attribute_matches_by_its_last_name() -> None:
    code = """
        def pick(self):
            return self.buffer.float()[0]
    """
    assert judge(code, vocab=("buffer",)).is_vocab_wide


def test_a_configured_veto_outweighs_every_evidence() -> None:
    code = WIDE["the_head_of_a_language_model"]
    verdict = judge(code, vocab=("scores",), not_vocab=("scores",))
    assert not verdict.is_vocab_wide
    assert verdict.grounds.against[0] == "`scores` is configured in not-vocab-names"


def test_the_same_code_gives_the_same_verdict_with_several_definitions() -> None:
    code = """
        def pick(a, b, flag, input_ids):
            if flag:
                logits = a.logits
            else:
                logits = b[:, -1]
            return logits.float().argmax(-1)
    """
    assert len({judge(code) for _ in range(5)}) == 1


def test_a_long_chain_of_definitions_ends() -> None:
    lines = "\n".join("    x = x * x + x" for _ in range(300))
    code = f"def f(x):\n{lines}\n    return x.float()[:, -1]\n"
    assert not judge(code).is_vocab_wide
