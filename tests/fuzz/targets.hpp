#pragma once

#include <string_view>

/// What is fed with any bytes: `make fuzz` by libFuzzer, `make test` with the files of corpus/. Each function returns
/// when the bytes are taken or refused as their reader promises; any other exception, a number that is none, a crash, a
/// hang or too much memory is a find.
namespace thud::fuzz {

void scenario(std::string_view bytes);
void study(std::string_view bytes);
void expression(std::string_view bytes);
void units(std::string_view bytes);
void csv(std::string_view bytes);
void json(std::string_view bytes);
void store(std::string_view bytes);

/// Ends the program with a message unless it holds.
void demand(bool holds, const char* what);

}  // namespace thud::fuzz
