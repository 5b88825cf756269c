import "./style.css";
import { useEngine } from "./api";
import { RunDocument } from "./data";
import { h } from "./dom";
import { Engine, ServedScenario } from "./engine";
import { Playground } from "./playground";
import { showRunReport } from "./report";
import { RunsDocument, showRunsReport } from "./runs_report";
import { FitDocument, ReproduceDocument, SweepDocument, showFitReport, showReproduceReport, showSweepReport } from "./studies";
import { svgOf } from "./save";
import { startTheme } from "./theme";

type Document_ = RunDocument | RunsDocument | ReproduceDocument | SweepDocument | FitDocument | { kind: "playground"; thud: string; library?: ServedScenario[] } | null;

startTheme();
const root = document.getElementById("app")!;
const data = JSON.parse(document.getElementById("thud-data")!.textContent ?? "null") as Document_;
const packed = document.getElementById("thud-engine")?.textContent;
if (packed && (data?.kind === "run" || data?.kind === "playground")) {
  const engine = new Engine(packed, data.kind === "run" ? [data.scene] : (data.library ?? []));
  useEngine(engine);
  Object.assign(window, { thudEngine: engine });
}
switch (data?.kind) {
  case "run":
    Object.assign(window, { thud: { viewer: showRunReport(root, data), svgOf } });
    break;
  case "runs":
    Object.assign(window, { thud: { viewer: showRunsReport(root, data), svgOf } });
    break;
  case "reproduce":
    showReproduceReport(root, data);
    break;
  case "sweep":
    showSweepReport(root, data);
    break;
  case "fit":
    showFitReport(root, data);
    break;
  case "playground":
    Object.assign(window, { thud: new Playground(root, data.thud) });
    break;
  default:
    root.append(h("p", { class: "page" }, "This page holds no data."));
}
