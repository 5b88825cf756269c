#pragma once
// thud run --png and --gif: pictures without a browser.

#include <string>

#include "thud/report/film.hpp"

namespace thud::cli {

/// Throws InputError, before anything is run, when one of the files cannot be written or pixels cannot be drawn. Empty
/// names are of no concern.
void check_pictures(const std::string& png, const std::string& gif);

/// A figure in twice as many pixels as it has points.
void write_png(const std::string& file, const std::string& svg);
void write_gif(const std::string& file, const Film& film);

}  // namespace thud::cli
