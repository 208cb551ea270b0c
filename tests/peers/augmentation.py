"""The places that ddptrain draws for an image: Philox4x32 of ten rounds, by the paper of Salmon and others."""

MASK = 0xFFFFFFFF


def philox(key, counter):
    """Four words of 32 bits for a key of two words and a counter of four."""
    key, counter = list(key), list(counter)
    for _ in range(10):
        left, right = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [right >> 32 ^ counter[1] ^ key[0], right & MASK, left >> 32 ^ counter[3] ^ key[1], left & MASK]
        key = [key[0] + 0x9E3779B9 & MASK, key[1] + 0xBB67AE85 & MASK]
    return counter


def words(number):
    return number & MASK, number >> 32


def draw_crop_flip(padding, seed, epoch, index):
    """How far the window is moved down and right, and whether it is mirrored."""
    dy, dx, flip, _ = philox(words(seed), (*words(index), *words(epoch)))
    places = 2 * padding + 1
    return (dy * places >> 32) - padding, (dx * places >> 32) - padding, flip & 1 == 1
