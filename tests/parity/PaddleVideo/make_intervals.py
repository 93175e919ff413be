"""Store what ppvideo's metrics of proposals and of segmented videos say of random ones.

    REFERENCE_PYTHON tests/parity/PaddleVideo/make_intervals.py

REFERENCE_PYTHON has paddlepaddle 2.6.2 and ppvideo 2.3.1. ``intervals.json`` gets the average recalls, numbers of
proposals and area under the curve, BMN's targets of a video, and edit scores and F1 with class 0 as background and
without one.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
import pandas as pd  # noqa: E402

from tests.parity.foreign.stand_ins import StandIns  # noqa: E402
from tests.parity.PaddleVideo.interval_cases import DURATION, SEGMENTS, STEPS, STORED, frame_videos, proposal_videos  # noqa: E402
from tests.parity.PaddleVideo.make_networks import UNUSED  # noqa: E402


def table(rows: np.ndarray, video: int) -> pd.DataFrame:
    """Return intervals as the official code holds them."""
    columns = ["t-start", "t-end", "score"][: rows.shape[1]]
    return pd.DataFrame(rows, columns=columns).assign(**{"video-id": video})


def main() -> None:
    """Write the answers."""
    sys.meta_path.append(StandIns(UNUSED))
    paddle.device.is_compiled_with_npu = lambda: False
    found = importlib.util.find_spec("ppvideo")
    assert found is not None and found.submodule_search_locations
    sys.path.insert(0, found.submodule_search_locations[0])
    from paddlevideo.loader.pipelines.anet_pipeline import GetMatchMap, GetVideoLabel
    from paddlevideo.metrics.ActivityNet.anet_prop import ANETproposal
    from paddlevideo.metrics.segmentation_metric import edit_score, f_score

    videos = proposal_videos()
    truth = pd.concat([table(actions, number) for number, (_, actions) in enumerate(videos)], ignore_index=True)
    answers = pd.concat([table(rows, number) for number, (rows, _) in enumerate(videos)], ignore_index=True)
    metric = ANETproposal.__new__(ANETproposal)
    _, recall, counts = metric.average_recall_vs_avg_nr_proposals(truth, answers, 50, np.linspace(0.5, 0.95, 10))
    area = 100.0 * float(np.trapz(recall, counts)) / counts[-1]  # noqa: NPY201  # of the reference's NumPy
    stored = {"recall": recall.tolist(), "counts": counts.tolist(), "AUC": area}
    for name, background in (("none", []), ("class 0", ["0"])):
        edits, scores = [], np.zeros((3, 3))
        for answer, labels in frame_videos():
            texts = [list(map(str, one)) for one in (answer, labels)]
            edits.append(edit_score(*texts, bg_class=background))
            scores += [f_score(*texts, overlap, bg_class=background) for overlap in (0.1, 0.25, 0.5)]
        right, wrong, missed = scores.T
        precision, recalled = right / (right + wrong), right / (right + missed)
        f1 = 200 * precision * recalled / (precision + recalled)
        stored[f"background: {name}"] = {"edit": float(np.mean(edits)), "F1": f1.tolist()}
    results = {
        "video_info": {
            "duration_second": DURATION,
            "annotations": [{"segment": segment} for segment in SEGMENTS],
        }
    }
    results = GetVideoLabel(STEPS, STEPS)(GetMatchMap(STEPS)(results))
    for key in ("gt_iou_map", "gt_start", "gt_end"):
        stored[key] = np.round(results[key].astype(np.float64), 7).tolist()
    STORED.write_text(json.dumps(stored) + "\n")
    print(stored["background: none"], stored["recall"][::25])


if __name__ == "__main__":
    main()
