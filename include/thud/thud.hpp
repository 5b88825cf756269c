#pragma once

/// \file
/// What most programs need of thud: models, results and sweeps, import, and the error that bad input throws.

#include "thud/base/error.hpp"
#include "thud/import/import.hpp"
#include "thud/model.hpp"
#include "thud/scenario/quantity.hpp"
#include "thud/scenario/values.hpp"
