#pragma once

namespace ddp::agent {

/// Whether ranks may be judged by what they do now.
enum class Judgement { open, held };

}  // namespace ddp::agent
