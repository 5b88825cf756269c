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
};

/// A figure of a publication: curves of several runs of a scenario.
struct PaperFigure {
  std::string id;      ///< "lee2009/figure-4.2"
  std::string title;   ///< what it shows
  std::string source;  ///< where it stands
  std::string scenario;
  std::string table{};                ///< reference table with the same runs, if there is one
  std::vector<KnobSettings> runs{};   ///< one per curve, complete
  std::vector<std::string> varied{};  ///< the knobs in which they differ
  std::string by{};                   ///< heading of their names
  bool until_rest = false;
  std::vector<PaperPanel> panels{};
  std::string note{};
  std::string file{};  ///< where the data was read from

  /// "lee2009/figure_4_2.svg"
  std::string file_name() const;
};

/// Reads figures from the text of a JSON file; `file` is for messages. Scenarios and settings may come from `tables`.
/// Throws InputError for anything that is not well-formed, naming the figure and the key.
[[nodiscard]] std::vector<PaperFigure> parse_figures(const std::string& text, const std::string& file,
                                                     const std::vector<ReferenceTable>& tables);

/// Every figure of the data folder's `reference/figures/`, in the order of files and of figures in them.
[[nodiscard]] std::vector<PaperFigure> load_figures(const std::vector<ReferenceTable>& tables);

/// As select_tables.
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
  std::function<void(int done, int total)> progress;  ///< called after each figure
};
struct DrawnFigures {
  int drawn = 0;
  std::vector<std::string> failed;  ///< "id: why"
  bool cancelled = false;
};
/// Draws figures into a folder, each into its file, and a page `index.html` of all that lie there.
/// What is finished stays when it is cancelled. Throws InputError before anything is run, OutputError later.
DrawnFigures draw_figures(const std::vector<PaperFigure>& wanted, const std::vector<PaperFigure>& all,
                          const std::vector<ReferenceTable>& tables, const std::filesystem::path& folder,
                          const DrawOptions& options = {});

/// The figures there are: for the terminal, or as a JSON document.
[[nodiscard]] std::string list_text(const std::vector<PaperFigure>& figures);
[[nodiscard]] std::string list_json(const std::vector<PaperFigure>& figures);

}  // namespace thud
