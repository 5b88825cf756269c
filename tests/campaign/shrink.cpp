#include "campaign/shrink.hpp"

namespace thud::campaign {

Shrunk shrink(const std::string& text, const Judgement& failure, const Limits&) { return {text, failure, 0}; }

}  // namespace thud::campaign
