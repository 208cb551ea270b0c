"""What "equal" means here: the same names, types, shapes and bytes."""

import torch


def bytes_of(tensor):
    return tensor.detach().flatten().view(torch.uint8).numpy().tobytes()  # NumPy has no bfloat16


def expect_same_bytes(test, actual, expected):
    """Both are tensors by name. The order of names counts for nothing: ddptrain writes parameters first, then buffers."""
    test.assertEqual(sorted(actual), sorted(expected))
    for name, tensor in expected.items():
        test.assertEqual((actual[name].dtype, actual[name].shape), (tensor.dtype, tensor.shape), name)
        test.assertTrue(bytes_of(actual[name]) == bytes_of(tensor),
                        f"{name} differs by up to {(actual[name].double() - tensor.double()).abs().max()}")
