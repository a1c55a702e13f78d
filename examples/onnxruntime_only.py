"""An exported policy from plain onnxruntime, without this package: `python onnxruntime_only.py policy.onnx`.

Inputs are `observation` float32 (N, F) and `action_mask` int8 (N, A), outputs masked `logits` float32 (N, A) and
`value` float32 (N,); what the numbers mean is in docs/spaces.md, what game the file is for in its metadata. Shown is
the classic game of two, `R:S,S,S,20/Y:S,S,S,40 r 1 34444444444`: Red has drawn a 1 and may start a pawn or move the
one on 20.

Goes wrong elsewhere: features in another order, of which no library warns: compare the metadata's hashes.
"""

import json
import sys

import numpy as np
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1])
about = json.loads(session.get_modelmeta().custom_metadata_map["sorry_env"])
observation = np.zeros((1, 183), np.float32)
observation[0, 0:3] = observation[0, 73:76] = 1  # three own pawns in Start, three of the other's
observation[0, [4 + 17, 77 + 37]] = 1  # own pawn 17, the other's 37 squares past the own diamond
observation[0, 146] = 1  # the drawn card is a 1
observation[0, 168:179] = np.array([3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]) / 5  # of each kind in the draw pile
observation[0, 179:181] = 43 / 55, 1  # cards in the draw pile; who looks is on move
action_mask = np.zeros((1, 201), np.int8)
action_mask[0, [0, 4]] = 1  # start a pawn, or move the fourth one
logits, value = session.run(["logits", "value"], {"observation": observation, "action_mask": action_mask})
print(f"for {about['rules']}: action {logits[0].argmax()}, expected final reward {value[0]:.2f}")
