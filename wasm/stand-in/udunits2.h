// The part of UDUNITS-2 that scenario/units.cpp uses, for a build that has no C libraries. What units mean comes from
// the library itself, when unit_table.inc is made; here they are only multiplied. No offsets, logarithms or dates: units
// that have them are known, and marked as no plain multiples.
#pragma once

#include <cstdarg>
#include <map>
#include <string>

struct ut_unit {
  double scale = 1;
  std::map<std::string, int> powers;  // of base units, by their symbols
  bool plain = true;
};
struct ut_system {};

enum ut_status { UT_SUCCESS, UT_FAILURE };
enum ut_encoding { UT_ASCII, UT_UTF8 = 2 };

struct ut_visitor {
  ut_status (*visit_basic)(const ut_unit* unit, void* arg);
  ut_status (*visit_product)(const ut_unit* unit, int count, const ut_unit* const* basic, const int* powers,
                             void* arg);
  ut_status (*visit_galilean)(const ut_unit* unit, double scale, const ut_unit* inner, double offset,
                              void* arg);
  ut_status (*visit_timestamp)(const ut_unit* unit, const ut_unit* time, double origin, void* arg);
  ut_status (*visit_logarithmic)(const ut_unit* unit, double base, const ut_unit* reference, void* arg);
};

using ut_error_message_handler = int (*)(const char* format, va_list args);
inline int ut_ignore(const char*, va_list) { return 0; }
inline void ut_set_error_message_handler(ut_error_message_handler) {}

ut_system* ut_read_xml(const char* path);
/// Null for what is no unit.
ut_unit* ut_parse(const ut_system* system, const char* text, ut_encoding encoding);
inline void ut_free(ut_unit* unit) { delete unit; }
ut_status ut_map_symbol_to_unit(const char* symbol, ut_encoding encoding, const ut_unit* unit);
ut_status ut_accept_visitor(const ut_unit* unit, const ut_visitor* visitor, void* arg);
/// Of a base unit.
const char* ut_get_symbol(const ut_unit* unit, ut_encoding encoding);
