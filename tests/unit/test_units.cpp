// Source of truth: the SI brochure (9th ed.) and the exact definitions of inch, pound and mile.
#include "scenario/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace thud::doc {
namespace {

constexpr double pi = std::numbers::pi;

std::string refusal(std::string_view text, Dimension dimension) {
  try {
    (void)parse_quantity(text, dimension);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(Units, lengths) {
  EXPECT_DOUBLE_EQ(parse_quantity("2 m", Dimension::length), 2.0);
  EXPECT_EQ(parse_quantity("3 mm", Dimension::length), 0.003);  // to the last bit
  EXPECT_EQ(parse_quantity("2 in", Dimension::length), 2 * 0.0254);
  EXPECT_EQ(parse_quantity("1 ft", Dimension::length), 0.3048);
  EXPECT_EQ(parse_quantity("7 µm", Dimension::length), 7e-6);
  EXPECT_EQ(parse_quantity("7 μm", Dimension::length), 7e-6);  // the Greek letter
  EXPECT_EQ(parse_quantity("7 um", Dimension::length), 7e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("1 mile", Dimension::length), 1609.344);
}

TEST(Units, a_number_may_be_written_in_many_ways) {
  for (const char* text : {"2 m", "2m", "2.0 m", "+2 m", "  2   m ", "2e0m", "2000 mm", ".002 km"})
    EXPECT_DOUBLE_EQ(parse_quantity(text, Dimension::length), 2.0) << text;
  EXPECT_DOUBLE_EQ(parse_quantity("-1.5e-3 m", Dimension::length), -0.0015);
}

TEST(Units, every_dimension_takes_its_own_SI_unit_and_its_example) {
  for (int i = 0; i <= static_cast<int>(Dimension::frequency); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    EXPECT_STRNE(name(dimension), "");
    const std::string unit = si_unit(dimension);
    if (dimension == Dimension::none || dimension == Dimension::any) {
      EXPECT_EQ(unit, "");
      continue;
    }
    EXPECT_EQ(to_si(2.5, unit, dimension), 2.5) << unit;
    EXPECT_EQ(dimension_of(unit), dimension) << unit;
    EXPECT_NO_THROW((void)parse_quantity(example(dimension), dimension)) << example(dimension);
  }
}

TEST(Units, derived) {
  EXPECT_DOUBLE_EQ(parse_quantity("36 km/h", Dimension::speed), 10.0);
  EXPECT_DOUBLE_EQ(parse_quantity("60 mph", Dimension::speed), 60 * 1609.344 / 3600);
  EXPECT_DOUBLE_EQ(parse_quantity("1 gravity", Dimension::acceleration), 9.80665);
  EXPECT_EQ(parse_quantity("1.5 g/cm^3", Dimension::density), 1500.0);
  EXPECT_DOUBLE_EQ(parse_quantity("2 N/mm", Dimension::stiffness), 2000.0);
  EXPECT_DOUBLE_EQ(parse_quantity("9.81 m/s²", Dimension::acceleration), 9.81);
  EXPECT_DOUBLE_EQ(parse_quantity("9.81 m·s⁻²", Dimension::acceleration), 9.81);
  EXPECT_DOUBLE_EQ(parse_quantity("3 Nm", Dimension::torque), 3.0);
  EXPECT_DOUBLE_EQ(parse_quantity("3 mNm", Dimension::torque), 0.003);
  EXPECT_DOUBLE_EQ(parse_quantity("3 N m", Dimension::energy), 3.0);
  EXPECT_DOUBLE_EQ(parse_quantity("4 N s/m", Dimension::damping_force), 4.0);
  EXPECT_DOUBLE_EQ(parse_quantity("4 N s^2/m^2", Dimension::quadratic_drag), 4.0);
  EXPECT_DOUBLE_EQ(parse_quantity("1 lb", Dimension::mass), 0.45359237);
  EXPECT_DOUBLE_EQ(parse_quantity("5 %", Dimension::none), 0.05);
  EXPECT_DOUBLE_EQ(parse_quantity("2 kHz", Dimension::frequency), 2000.0);
}

TEST(Units, angles_are_a_dimension_of_their_own) {
  EXPECT_EQ(parse_quantity("180 deg", Dimension::angle), pi);
  EXPECT_EQ(parse_quantity("180°", Dimension::angle), pi);
  EXPECT_EQ(parse_quantity("0.5 rad", Dimension::angle), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("0.25 rev", Dimension::angle), pi / 2);
  EXPECT_DOUBLE_EQ(parse_quantity("0.25 turn", Dimension::angle), pi / 2);
  EXPECT_EQ(refusal("5 m/m", Dimension::angle),
            "\"m/m\" has no dimension; an angle is expected (deg, rad or rev)");
  EXPECT_EQ(refusal("5 1", Dimension::angle),
            "\"1\" has no dimension; an angle is expected (deg, rad or rev)");
  EXPECT_EQ(refusal("5 deg", Dimension::none),
            "\"deg\" is an angle unit; a plain number without unit is expected");
  EXPECT_EQ(refusal("5 rad", Dimension::length),
            "\"rad\" is an angle unit; a length is expected (m, mm, in, ...)");
  EXPECT_EQ(refusal("5 m rad", Dimension::length),
            "\"m rad\" is no unit of that kind; a length is expected (m, mm, in, ...)");
}

TEST(Units, angular_rates) {
  EXPECT_DOUBLE_EQ(parse_quantity("180 deg/s", Dimension::angular_rate), pi);
  EXPECT_DOUBLE_EQ(parse_quantity("60 rpm", Dimension::angular_rate), 2 * pi);
  EXPECT_DOUBLE_EQ(parse_quantity("1 rev/s", Dimension::angular_rate), 2 * pi);
  for (const char* text : {"3 rad/s", "3 1/s", "3 s-1", "3 s^-1"})
    EXPECT_DOUBLE_EQ(parse_quantity(text, Dimension::angular_rate), 3.0) << text;
  // A hertz is a cycle per second: taking it for rad/s would be wrong by 2π.
  EXPECT_EQ(refusal("3 Hz", Dimension::angular_rate),
            "\"Hz\" is a frequency unit; an angular rate is expected (rad/s, deg/s, rpm or 1/s); "
            "for cycles per second write \"rev/s\"");
  EXPECT_EQ(refusal("3 rad/s", Dimension::frequency),
            "\"rad/s\" is an angular rate unit; a frequency is expected (Hz, kHz, 1/s, ...)");
}

TEST(Units, the_radian_may_be_left_out_of_rotational_coefficients) {
  EXPECT_DOUBLE_EQ(parse_quantity("2 N m s/rad", Dimension::damping_torque), 2.0);
  EXPECT_DOUBLE_EQ(parse_quantity("2 N m s", Dimension::damping_torque), 2.0);
  EXPECT_DOUBLE_EQ(parse_quantity("2 N m/rad", Dimension::rotational_stiffness), 2.0);
  EXPECT_DOUBLE_EQ(parse_quantity("2 N m", Dimension::rotational_stiffness), 2.0);
  EXPECT_DOUBLE_EQ(parse_quantity("1 N m/deg", Dimension::rotational_stiffness), 180 / pi);
}

TEST(Units, wrong_dimension) {
  EXPECT_EQ(refusal("5 kg", Dimension::length),
            "\"kg\" is a mass unit; a length is expected (m, mm, in, ...)");
  EXPECT_EQ(refusal("3 metre2", Dimension::length),
            "\"metre2\" is an area unit; a length is expected (m, mm, in, ...)");
  EXPECT_EQ(refusal("5 A", Dimension::length),
            "\"A\" is no unit of that kind; a length is expected (m, mm, in, ...)");
  EXPECT_EQ(refusal("1 g", Dimension::acceleration),
            "\"g\" is a mass unit; an acceleration is expected (m/s^2, cm/s^2, gravity, ...); g is "
            "the gram: for standard gravity write \"gravity\"");
}

TEST(Units, unknown_units) {
  EXPECT_EQ(refusal("5 metr", Dimension::length), "unknown unit \"metr\"; did you mean \"metre\"?");
  EXPECT_EQ(refusal("5 Kg", Dimension::mass), "unknown unit \"Kg\"; did you mean \"kg\"?");
  EXPECT_EQ(refusal("5 wibbles", Dimension::mass), "unknown unit \"wibbles\"");
  EXPECT_EQ(refusal("5 m/", Dimension::length), "unknown unit \"m/\"; did you mean \"m\"?");
  EXPECT_EQ(refusal("5 degC", Dimension::angle),
            "\"degC\" cannot be used here: it is not a plain multiple of an SI unit");
  EXPECT_EQ(refusal("5 s since 2000-01-01", Dimension::time),
            "\"s since 2000-01-01\" cannot be used here: it is not a plain multiple of an SI unit");
  EXPECT_NE(refusal("5 " + std::string(5000, 'm'), Dimension::length).find("is not a unit"),
            std::string::npos);
  EXPECT_NE(refusal(std::string("5 m\0m", 5), Dimension::length).find("is not a unit"), std::string::npos);
}

TEST(Units, malformed_quantities) {
  EXPECT_EQ(refusal("5", Dimension::length),
            "\"5\" has no unit; drop the quotes to mean m, or add a unit (m, mm, in, ...)");
  EXPECT_EQ(refusal("5", Dimension::none), "\"5\" is text; drop the quotes to make it a number");
  EXPECT_EQ(refusal("long", Dimension::length), "\"long\" is not a number with a unit, such as \"0.2 m\"");
  EXPECT_EQ(refusal("", Dimension::length), "\"\" is not a number with a unit, such as \"0.2 m\"");
  EXPECT_EQ(refusal("=2 m", Dimension::length),
            "\"=2 m\" is not a number with a unit, such as \"0.2 m\"; a formula cannot stand here");
  EXPECT_EQ(refusal("1,5 m", Dimension::length), "\"1,5 m\": write the decimals after a point, not a comma");
  EXPECT_EQ(refusal("3 4 m", Dimension::length),
            "\"4 m\" is not a unit: a unit does not begin with a number");
  EXPECT_EQ(refusal("5-3 m", Dimension::length),
            "\"-3 m\" is not a unit: a unit does not begin with a number");
}

TEST(Units, values_that_are_not_finite) {
  EXPECT_NE(refusal("nan m", Dimension::length), "(accepted)");
  EXPECT_NE(refusal("inf m", Dimension::length), "(accepted)");
  EXPECT_NE(refusal("-inf m", Dimension::length), "(accepted)");
  EXPECT_EQ(refusal("1e999 m", Dimension::length),
            "the number in \"1e999 m\" is too large or too small to compute with");
  EXPECT_EQ(refusal("1e308 km", Dimension::length), "the value is not a finite number");
  EXPECT_THROW((void)to_si(std::numeric_limits<double>::quiet_NaN(), "m", Dimension::length),
               std::invalid_argument);
  EXPECT_THROW((void)to_si(1.0, "", Dimension::length), std::invalid_argument);
  EXPECT_EQ(to_si(1.5, "", Dimension::none), 1.5);
}

TEST(Units, dimension_of_a_unit) {
  EXPECT_EQ(dimension_of("m/s"), Dimension::speed);
  EXPECT_EQ(dimension_of("rpm"), Dimension::angular_rate);
  EXPECT_EQ(dimension_of("1/s"), Dimension::frequency);
  EXPECT_EQ(dimension_of("N m"), Dimension::torque);
  EXPECT_EQ(dimension_of("J"), Dimension::energy);
  EXPECT_EQ(dimension_of("N m s"), Dimension::damping_torque);
  EXPECT_EQ(dimension_of("%"), Dimension::none);
  EXPECT_EQ(dimension_of(""), Dimension::none);
  EXPECT_EQ(dimension_of("rad/s^2"), Dimension::any);
  EXPECT_EQ(dimension_of("K"), Dimension::any);
  EXPECT_THROW((void)dimension_of("wibble"), std::invalid_argument);
}

TEST(Units, quantities_like_another_unit) {
  EXPECT_DOUBLE_EQ(parse_quantity_like("180 deg/s^2", "rad/s^2"), pi);
  EXPECT_THROW((void)parse_quantity_like("1 m", "rad/s^2"), std::invalid_argument);
  EXPECT_THROW((void)parse_quantity_like("1 A", "K"), std::invalid_argument);
  EXPECT_THROW((void)parse_quantity_like("1", "rad/s^2"), std::invalid_argument);
}

TEST(Units, back_to_the_users_unit) {
  EXPECT_DOUBLE_EQ(from_si(pi, "deg"), 180.0);
  EXPECT_EQ(from_si(0.003, "mm"), 3.0);
  EXPECT_EQ(from_si(2.0, ""), 2.0);
}

TEST(Units, the_unit_part) {
  EXPECT_EQ(unit_of("32 deg"), "deg");
  EXPECT_EQ(unit_of("32deg"), "deg");
  EXPECT_EQ(unit_of("32"), "");
  EXPECT_EQ(unit_of("deg"), std::nullopt);
}

TEST(Units, from_many_threads) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (std::size_t i = 0; i < right.size(); ++i)
    threads.emplace_back([&right, i] {
      for (int k = 1; k <= 200; ++k) {
        const std::string unit = "m" + std::to_string(k % 7 + 1);
        right[i] += to_si(1.0, unit, Dimension::any) == 1.0 ? 1 : 0;
        right[i] += refusal("1 nope", Dimension::mass) == "unknown unit \"nope\"" ? 1 : 0;
      }
    });
  for (auto& thread : threads) thread.join();
  for (const int count : right) EXPECT_EQ(count, 400);
}

}  // namespace
}  // namespace thud::doc
