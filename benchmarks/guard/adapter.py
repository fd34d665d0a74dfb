"""Trains the adapter of the guard: low-rank changes to the local embedding model, and a linear head, with PyTorch.

PyTorch is no dependency of the project: ``pip install torch`` first. It takes half an hour on one core. Another processor
rounds in another way, so the weights differ a little between machines.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from mosshead.embeddings.local.files import TOKENIZER, WEIGHTS, find_model
from mosshead.safety.classifier import most_suspect
from mosshead.safety.readings import readings
from mosshead.safety.sense import HEAD

_RANK = 4
_BATCH, _WARM, _LEAST = 32, 100, 0.02
_CYCLES = ((2, 1.5e-3), (1, 7e-4))
"""Epochs, and the rate, which rises over some steps and falls to a fiftieth in each cycle."""

_DECAY, _DROPPED, _NORM = 0.01, 0.1, 1.0
_LONGEST = 128
"""Tokens. A passage has 60 words and marks at most."""

_HEADS, _LAYERS, _FEATURES = 12, 6, 384
_SORTED = 50
"""Batches whose texts are sorted by length together, so that little is padding."""

_MOST = 3
"""How often a text counts at most."""

_EPSILON = 1e-12


def train_adapter(texts: Sequence[tuple[str, bool]]) -> dict[str, NDArray[np.float16]]:
    """Fit the adapter to texts and whether each is to be held; returns the arrays of `ADAPTER`."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    folder = find_model()
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    counted: dict[tuple[str, bool], int] = {}
    for text, held in texts:
        if reading := next(readings(text), ""):
            key = most_suspect(reading)[0], held
            counted[key] = min(counted.get(key, 0) + 1, _MOST)
    tokens = [tokenizer.encode(passage).ids for passage, _ in counted]
    tokens = [[*one[: _LONGEST - 1], one[-1]] if len(one) > _LONGEST else one for one in tokens]
    wanted = torch.tensor([float(held) for _, held in counted])
    model = _Adapted(load_file(folder / WEIGHTS))
    _fit(model, tokens, wanted, torch.tensor([float(count) for count in counted.values()]))
    return model.arrays()


def _fit(model: "_Adapted", tokens: Sequence[list[int]], wanted: Tensor, counts: Tensor) -> None:
    changed = list(model.parameters())
    draw = np.random.default_rng(0)
    for epochs, rate in _CYCLES:
        optimizer = torch.optim.AdamW(changed, lr=rate, weight_decay=_DECAY)
        batches = [batch for _ in range(epochs) for batch in _batches(tokens, draw)]
        for step, batch in enumerate(batches):
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, step / _WARM) * max(_LEAST, 1 - step / len(batches))
            with torch.autocast("cpu", torch.bfloat16):
                odds = model([tokens[place] for place in batch])
            loss = functional.binary_cross_entropy_with_logits(odds.float(), wanted[batch], counts[batch])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(changed, _NORM)
            optimizer.step()


def _batches(tokens: Sequence[list[int]], draw: np.random.Generator) -> list[list[int]]:
    order, chunk = draw.permutation(len(tokens)).tolist(), _BATCH * _SORTED
    chunks = [
        sorted(order[at : at + chunk], key=lambda place: len(tokens[place])) for at in range(0, len(order), chunk)
    ]
    batches = [one[at : at + _BATCH] for one in chunks for at in range(0, len(one), _BATCH)]
    return [batches[place] for place in draw.permutation(len(batches))]


class _Linear(nn.Module):
    def __init__(self, tensors: Mapping[str, Tensor], name: str) -> None:
        super().__init__()
        self.weight, self.bias = tensors[f"{name}.weight"].bfloat16(), tensors[f"{name}.bias"].bfloat16()
        wide, narrow = self.weight.shape
        self.down = nn.Parameter(torch.randn(_RANK, narrow) / narrow**0.5)
        self.up = nn.Parameter(torch.zeros(wide, _RANK))

    def forward(self, x: Tensor) -> Tensor:
        changed = functional.linear(functional.linear(x, self.down), self.up)
        return functional.linear(x, self.weight, self.bias) + changed


class _Layer(nn.Module):
    def __init__(self, tensors: Mapping[str, Tensor], name: str) -> None:
        super().__init__()
        self.parts = nn.ModuleList(
            _Linear(tensors, f"{name}.attention.self.{one}") for one in ("query", "key", "value")
        )
        self.gather = _Linear(tensors, f"{name}.attention.output.dense")
        self.widen = _Linear(tensors, f"{name}.intermediate.dense")
        self.narrow = _Linear(tensors, f"{name}.output.dense")
        self.norms = [_norm(tensors, f"{name}.{one}") for one in ("attention.output", "output")]

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (part(x).unflatten(-1, (_HEADS, -1)).transpose(1, 2) for part in self.parts)
        scores = torch.softmax(query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5 + mask, -1)
        mixed = (scores.to(value.dtype) @ value).transpose(1, 2).flatten(2)
        attended = _normalised(x + self.gather(mixed), self.norms[0])
        return _normalised(attended + self.narrow(functional.gelu(self.widen(attended))), self.norms[1])

    def arrays(self) -> dict[str, Tensor]:
        """The changes as `Bert` arranges the maps: query, key and value above each other, the query scaled."""
        query, *others = self.parts
        ups = [query.up * (_FEATURES // _HEADS) ** -0.5, *(one.up for one in others)]
        stacked = {"attend.down": torch.cat([one.down for one in self.parts]), "attend.up": torch.block_diag(*ups)}
        single = {"gather": self.gather, "widen": self.widen, "narrow": self.narrow}
        return stacked | {
            f"{name}.{side}": getattr(one, side) for name, one in single.items() for side in ("down", "up")
        }


class _Adapted(nn.Module):
    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.words = tensors["embeddings.word_embeddings.weight"]
        segment = tensors["embeddings.token_type_embeddings.weight"][0]
        self.positions = tensors["embeddings.position_embeddings.weight"] + segment
        self.norm = _norm(tensors, "embeddings")
        self.layers = nn.ModuleList(_Layer(tensors, f"encoder.layer.{number}") for number in range(_LAYERS))
        self.head = nn.Linear(_FEATURES, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, texts: Sequence[list[int]]) -> Tensor:
        lengths = torch.tensor([len(one) for one in texts])
        numbers = nn.utils.rnn.pad_sequence([torch.tensor(one) for one in texts], batch_first=True)
        there = torch.arange(numbers.shape[1])[None] < lengths[:, None]
        mask = torch.zeros(there.shape).masked_fill(~there, -1e4)[:, None, None]
        x = _normalised(self.words[numbers] + self.positions[: numbers.shape[1]], self.norm)
        for layer in self.layers:
            x = layer(x, mask)
        mean = (x.float() * there[..., None]).sum(1) / lengths[:, None]
        odds: Tensor = self.head(functional.dropout(mean, _DROPPED))
        return odds.squeeze(-1)

    def arrays(self) -> dict[str, NDArray[np.float16]]:
        found = {
            f"{number}.{name}": one for number, layer in enumerate(self.layers) for name, one in layer.arrays().items()
        }
        found[HEAD] = torch.cat([self.head.weight[0], self.head.bias])
        return {name: one.detach().half().numpy() for name, one in found.items()}


def _norm(tensors: Mapping[str, Tensor], name: str) -> tuple[Tensor, Tensor]:
    return tensors[f"{name}.LayerNorm.weight"], tensors[f"{name}.LayerNorm.bias"]


def _normalised(x: Tensor, norm: tuple[Tensor, Tensor]) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], *norm, _EPSILON)
