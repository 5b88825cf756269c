// The part of muParser that scenario/expression.cpp uses, for a build that has no libraries. Formulas mean the same and
// give the same bits: sums and products with constants are gathered as muParser 2.3 gathers them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace mu {

enum EErrorCodes {
  ecUNEXPECTED_OPERATOR,
  ecUNASSIGNABLE_TOKEN,
  ecUNEXPECTED_EOF,
  ecUNEXPECTED_ARG_SEP,
  ecUNEXPECTED_VAL,
  ecUNEXPECTED_VAR,
  ecUNEXPECTED_PARENS,
  ecMISSING_PARENS,
  ecUNEXPECTED_FUN,
  ecTOO_MANY_PARAMS,
  ecTOO_FEW_PARAMS,
  ecMISPLACED_COLON,
  ecMISSING_ELSE_CLAUSE,
};

enum EOprtAssociativity { oaLEFT, oaRIGHT };
constexpr unsigned prPOW = 7;

class ParserError {
 public:
  ParserError(EErrorCodes code, int position, std::string token)
      : code_(code),
        position_(position),
        token_(std::move(token)) {}
  EErrorCodes GetCode() const { return code_; }
  int GetPos() const { return position_; }
  const std::string& GetToken() const { return token_; }

 private:
  EErrorCodes code_;
  int position_;
  std::string token_;
};

struct Node;

class Parser {
 public:
  using Factory = double* (*)(const char* name, void* user);

  Parser();
  ~Parser();
  void ClearFun() { functions_.clear(); }
  void ClearConst() { constants_.clear(); }
  void DefineConst(const std::string& name, double value) { constants_[name] = value; }
  void DefineVar(const std::string& name, double* place) { variables_[name] = place; }
  void DefineFun(const std::string& name, double (*f)(double)) {
    functions_[name] = {1, true, [f](const double* a, int) { return f(a[0]); }};
  }
  void DefineFun(const std::string& name, double (*f)(double, double)) {
    functions_[name] = {2, true, [f](const double* a, int) { return f(a[0], a[1]); }};
  }
  void DefineFun(const std::string& name, double (*f)(double, double, double)) {
    functions_[name] = {3, true, [f](const double* a, int) { return f(a[0], a[1], a[2]); }};
  }
  /// Of any number of values.
  void DefineFun(const std::string& name, double (*f)(const double*, int)) {
    functions_[name] = {-1, false, f};
  }
  void DefineFunUserData(const std::string& name, double (*f)(void*, double), void* user) {
    functions_[name] = {1, true, [f, user](const double* a, int) { return f(user, a[0]); }};
  }
  /// Powers are the only operator that is defined anew.
  void DefineOprt(const std::string& mark, double (*f)(double, double), unsigned, EOprtAssociativity) {
    power_mark_ = mark;
    power_ = {2, true, [f](const double* a, int) { return f(a[0], a[1]); }};
  }
  /// Asked for names that are not known.
  void SetVarFactory(Factory factory, void* user) {
    factory_ = factory;
    user_ = user;
  }

  void SetExpr(const std::string& text);
  /// The last of the values that stand between commas, and how many there are.
  double Eval(int& count);
  double Eval();

 private:
  struct Function {
    int arguments = 0;  // -1: any number
    bool folds = false;
    std::function<double(const double*, int)> call;
  };
  friend struct Node;
  friend class Reader;

  std::string power_mark_;
  Function power_;
  std::map<std::string, Function> functions_;
  std::map<std::string, double> constants_;
  std::map<std::string, double*> variables_;
  Factory factory_ = nullptr;
  void* user_ = nullptr;
  std::string text_;
  std::vector<std::unique_ptr<Node>> values_;
};

}  // namespace mu
