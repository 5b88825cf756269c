#include "thud/study/study_schema.hpp"

#include <nlohmann/json.hpp>

#include "thud/scenario/request.hpp"

namespace thud {

namespace {

// Keys that hold for every study. Values of knobs are numbers or texts with a unit; which, the scenario says.
constexpr const char* study_schema = R"json({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "title": "thud study",
  "description": "A study: a scenario at many values of its knobs, or fitted to measurements.",
  "type": "object",
  "required": ["scenario"],
  "additionalProperties": false,
  "anyOf": [{ "required": ["vary"] }, { "required": ["fit"] }, { "required": ["sensitivity"] }],
  "definitions": {
    "value": { "anyOf": [{ "type": "number" }, { "type": "string", "minLength": 1 }] },
    "pair": { "type": "array", "items": { "$ref": "#/definitions/value" }, "minItems": 2, "maxItems": 2 },
    "seed": { "type": "integer", "minimum": 0, "maximum": 9007199254740992 },
    "knob": {
      "description": "How a knob changes from run to run: one of grid, list, uniform and normal.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "grid": { "$ref": "#/definitions/pair", "description": "First and last value of a grid, with count." },
        "count": { "type": "integer", "minimum": 1, "maximum": 1000000000 },
        "list": { "type": "array", "items": { "$ref": "#/definitions/value" }, "minItems": 1 },
        "uniform": { "$ref": "#/definitions/pair" },
        "normal": {
          "type": "object",
          "required": ["mean", "deviation"],
          "additionalProperties": false,
          "properties": {
            "mean": { "$ref": "#/definitions/value" },
            "deviation": { "$ref": "#/definitions/value" }
          }
        }
      },
      "oneOf": [
        { "required": ["grid", "count"] },
        { "required": ["list"], "not": { "required": ["count"] } },
        { "required": ["uniform"], "not": { "required": ["count"] } },
        { "required": ["normal"], "not": { "required": ["count"] } }
      ]
    },
    "fit_knob": {
      "type": "object",
      "additionalProperties": false,
      "properties": { "start": { "$ref": "#/definitions/value" }, "range": { "$ref": "#/definitions/pair" } }
    }
  },
  "properties": {
    "title": { "type": "string", "description": "One line about it." },
    "about": { "type": "string", "description": "What it is, at more length." },
    "scenario": { "type": "string", "minLength": 1, "description": "A name of the library, or a file relative to this one." },
    "outputs": {
      "type": "array",
      "items": { "type": "string" },
      "uniqueItems": true,
      "description": "Results and observables of the scenario; default: all results."
    },
    "set": {
      "type": "object",
      "additionalProperties": { "$ref": "#/definitions/value" },
      "description": "Knobs that stay at a value."
    },
    "vary": {
      "type": "object",
      "additionalProperties": { "$ref": "#/definitions/knob" },
      "description": "Knobs that change."
    },
    "design": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "kind": { "enum": ["grid", "random", "latin", "sobol"] },
        "runs": { "type": "integer", "minimum": 1, "maximum": 1000000000000 },
        "seed": { "$ref": "#/definitions/seed" }
      }
    },
    "run": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "until_rest": { "type": "boolean" },
        "time_limit": { "$ref": "#/definitions/value" },
        "tolerance": { "$ref": "#/definitions/value" },
        "method": {},
        "step": { "$ref": "#/definitions/value" }
      }
    },
    "plot": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["kind", "x", "y"],
        "additionalProperties": false,
        "properties": {
          "kind": { "enum": ["map", "curves"] },
          "title": { "type": "string" },
          "x": { "type": "string" },
          "y": { "type": "string" },
          "z": { "type": "string" },
          "by": { "type": "string" }
        }
      }
    },
    "sensitivity": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "samples": { "type": "integer", "minimum": 1 },
        "confidence": { "$ref": "#/definitions/value" },
        "bootstrap": { "type": "integer", "minimum": 10, "maximum": 1000000 },
        "seed": { "$ref": "#/definitions/seed" }
      }
    },
    "fit": {
      "type": "object",
      "required": ["knobs"],
      "additionalProperties": false,
      "properties": {
        "knobs": { "type": "object", "additionalProperties": { "$ref": "#/definitions/fit_knob" } },
        "initial": {
          "type": "object",
          "additionalProperties": {
            "anyOf": [{ "enum": ["free", "given"] }, { "$ref": "#/definitions/fit_knob" }]
          }
        },
        "rename": { "type": "object", "additionalProperties": { "type": "string" } },
        "ignore": { "type": "array", "items": { "type": "string" } },
        "capture": { "type": "object" },
        "nuisance": { "type": "object" },
        "noise": {
          "anyOf": [
            { "$ref": "#/definitions/value" },
            { "type": "object", "additionalProperties": { "$ref": "#/definitions/value" } }
          ]
        },
        "loss": { "enum": ["none", "huber", "cauchy"] },
        "scale": { "$ref": "#/definitions/value" },
        "intervals": { "enum": ["profile", "linear", "bootstrap"] },
        "samples": { "type": "integer", "minimum": 40, "maximum": 100000 },
        "outliers": { "enum": ["drop", "keep"] },
        "starts": { "type": "integer", "minimum": 1, "maximum": 10000 },
        "seed": { "$ref": "#/definitions/seed" },
        "iterations": { "type": "integer", "minimum": 1, "maximum": 100000 }
      }
    },
    "data": {
      "type": "object",
      "additionalProperties": { "type": "object" },
      "description": "Measured files: what is known of each, and the stretch of time that counts."
    }
  }
})json";

}  // namespace

std::string make_study_schema() {
  auto schema = nlohmann::ordered_json::parse(study_schema);
  schema["properties"]["run"]["properties"]["method"] = {{"enum", method_names()}};
  return schema.dump(2) + "\n";
}

}  // namespace thud
