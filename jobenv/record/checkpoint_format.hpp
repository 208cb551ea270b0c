#pragma once

namespace ddp {

/// The field `format` in the manifest.json of a checkpoint. whole: one file has all parameters, and one all
/// of the optimizer's state. sharded: each rank has files of its own. A ddptrain that knows only whole ones
/// refuses the others.
enum class CheckpointFormat { whole = 1, sharded = 2 };

}  // namespace ddp
