"""Write the files of PyTorch that the tests read: ``PYTHON make_pytorch_files.py``; PYTHON has torch 2."""

from __future__ import annotations

from pathlib import Path

import torch

FOLDER = Path(__file__).resolve().parent


def main() -> None:
    """Write the same tensors as an archive, and as PyTorch before 1.6 did."""
    layer = torch.nn.Linear(3, 2)
    with torch.no_grad():
        layer.weight.copy_(torch.arange(6.0).reshape(2, 3) / 4)
        layer.bias.copy_(torch.tensor([-1.5, 2.5]))
    table = torch.arange(12.0).reshape(4, 3)
    values = layer.state_dict()
    values.update(
        {
            "table": table,
            "tied": table,
            "turned": table.t(),
            "part": table[1:3, 1:],
            "parameter": layer.weight,
            "half": torch.tensor([0.5, -2.0], dtype=torch.float16),
            "brain": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
            "count": torch.tensor(7),
            "flags": torch.tensor([True, False]),
            "none": torch.zeros(0, 3),
        }
    )
    torch.save(values, FOLDER / "archive.bin")
    torch.save(values, FOLDER / "stream.bin", _use_new_zipfile_serialization=False)
    torch.save({"epoch": 3, "state_dict": {"w": table}}, FOLDER / "nested.pt")


if __name__ == "__main__":
    main()
