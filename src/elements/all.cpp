#include "thud/elements/all.hpp"

namespace thud {

ChannelInfo channel_info(Channel channel) {
  ChannelInfo out{""};
  int at = 0;
  ElementTypes::each([&]<class E>() {
    for (const ChannelInfo& c : E::channels)
      if (at++ == static_cast<int>(channel)) out = c;
  });
  return out;
}

}  // namespace thud
