# cmake -D INPUT=file -D OUTPUT=file.cpp -D FUNCTION=name -D NAMESPACE=thud -D HEADER=file.hpp -P EmbedText.cmake: a text file
# as a function that returns it, which the header declares; without these, the web page.
if(NOT FUNCTION)
  set(FUNCTION web_bundle)
  set(NAMESPACE thud)
  set(HEADER report/bundle.hpp)
endif()
file(READ "${INPUT}" text)
string(FIND "${text}" ")thud_text\"" ending)
if(NOT ending EQUAL -1)
  message(FATAL_ERROR "${INPUT} holds the mark that ends the text")
endif()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace ${NAMESPACE} {

std::string_view ${FUNCTION}() {
  static constexpr std::string_view text = R\"thud_text(${text})thud_text\";
  return text;
}

}  // namespace ${NAMESPACE}
")
