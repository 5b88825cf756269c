# cmake -D INPUT=file -D OUTPUT=file.cpp -P EmbedText.cmake: a text file as a function that returns it.
file(READ "${INPUT}" text)
string(FIND "${text}" ")thud_text\"" ending)
if(NOT ending EQUAL -1)
  message(FATAL_ERROR "${INPUT} holds the mark that ends the text")
endif()
file(WRITE "${OUTPUT}" "#include \"report/bundle.hpp\"

namespace thud {

std::string_view web_bundle() {
  static constexpr std::string_view text = R\"thud_text(${text})thud_text\";
  return text;
}

}  // namespace thud
")
