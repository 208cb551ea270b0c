#pragma once

#include <span>

namespace ddp {

/// Closes every descriptor of this process above 2 that is not in `keep`.
void close_descriptors_except(std::span<const int> keep);

/// Marks every descriptor above 2 close-on-exec, so that nothing that this process inherited reaches a rank.
void close_all_on_exec();

/// Opens /dev/null in the place of each of 0, 1, 2 that is closed: else a socket could take the number.
void fill_standard_descriptors();

}  // namespace ddp
