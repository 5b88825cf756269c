#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "thud/study/reproduce.hpp"

/// Figures of publications, redrawn: which runs, and what of them against time, as data.
namespace thud {

struct PaperPanel {
  std::string observable;
  std::string label;  ///< what it is in words; the name of the observable if empty
  std::string
      published{};  ///< a result of the table: its published time is drawn where the curve should be zero
  std::string
      measured{};  ///< a result of a table of measurements: what γ implies is drawn at the end of the curve
  std::string result{};  ///< of curves against a knob, in the place of the observable
};

/// The abscissa of curves against a knob.
struct PaperAbscissa {
  std::string knob, from, to;
  int count = 0;
  std::string label{};
};

/// An impact of a run, and how it is known to go.
struct PaperImpact {
  KnobSettings set;
  int number = 1;
  std::string name;   ///< its case: "slip-stick in compression"
  std::string label;  ///< "a)"
};

/// A figure of a publication: curves of several runs of a scenario.
struct PaperFigure {
  enum class Kind : std::uint8_t {
    time,    ///< observables against time
    curves,  ///< results against a knob
    planes,  ///< impulse planes of impacts
  };
  Kind kind = Kind::time;
  std::string id;      ///< "lee2009/figure-4.2"
  std::string title;   ///< what it shows
  std::string source;  ///< where it stands
  std::string scenario;
  std::string table{};  ///< reference table with the same runs, if there is one
  std::vector<std::pair<std::string, std::string>>
      rules{};                        ///< results besides those of the scenario: of its table
  std::vector<KnobSettings> runs{};   ///< one per curve, complete
  std::vector<std::string> varied{};  ///< the knobs in which they differ
  std::string by{};                   ///< heading of their names
  bool until_rest = false;
  std::vector<PaperPanel> panels{};
  std::string note{};
  PaperAbscissa x{};                   ///< of curves
  std::string y{};                     ///< of curves: what the ordinate is
  std::vector<PaperImpact> impacts{};  ///< of planes
  std::string file{};                  ///< where the data was read from

  int curve_count() const;
  /// "lee2009/figure_4_2.svg"
  std::string file_name() const;
};

/// Reads figures from the text of a JSON file; `file` is for messages. Scenarios and settings may come from `tables`.
/// Throws InputError for anything that is not well-formed, naming the figure and the key.
[[nodiscard]] std::vector<PaperFigure> parse_figures(const std::string& text, const std::string& file,
                                                     const std::vector<ReferenceTable>& tables);

/// Every figure of the data folder's `reference/figures/`, in the order of files and of figures in them.
[[nodiscard]] std::vector<PaperFigure> load_figures(const std::vector<ReferenceTable>& tables);

/// Throws InputError for an id of a figure in which nothing is computed: a drawing or a photograph.
void refuse_drawings(const std::vector<std::string>& ids);

/// As select_tables; drawings are refused.
[[nodiscard]] std::vector<PaperFigure> select_figures(const std::vector<PaperFigure>& all,
                                                      const std::vector<std::string>& ids);

/// Throws InputError when a figure does not fit its scenario or its table. Runs nothing.
void check_figure(const PaperFigure& figure, const std::vector<ReferenceTable>& tables);

struct DrawnFigure {
  std::string svg;
  std::vector<std::string> failed;  ///< runs that did not reach their end, and why
  bool cancelled = false;           ///< then there is no picture
};
/// Makes the runs and draws them.
[[nodiscard]] DrawnFigure draw_figure(const PaperFigure& figure, const std::vector<ReferenceTable>& tables,
                                      const RunRequest& request = {});

struct DrawOptions {
  RunRequest request;                                 ///< for every run, without its observer
  int jobs = 1;                                       ///< figures at once; 0: one per processor
  std::function<void(int done, int total)> progress;  ///< called after each figure, from its thread
};
struct DrawnFigures {
  int drawn = 0;
  std::vector<std::string> failed;  ///< "id: why"
  bool cancelled = false;
};
/// Draws figures into a folder, each into its file, and a page `index.html` of all that lie there, if any was drawn.
/// What is finished stays when it is cancelled. Throws InputError before anything is run, OutputError later.
DrawnFigures draw_figures(const std::vector<PaperFigure>& wanted, const std::vector<PaperFigure>& all,
                          const std::vector<ReferenceTable>& tables, const std::filesystem::path& folder,
                          const DrawOptions& options = {});

/// The figures there are: for the terminal, or as a JSON document.
[[nodiscard]] std::string list_text(const std::vector<PaperFigure>& figures);
[[nodiscard]] std::string list_json(const std::vector<PaperFigure>& figures);

}  // namespace thud
