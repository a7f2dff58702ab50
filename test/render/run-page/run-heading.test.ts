// The heading of a run's page, for every reason for which a model's turn ends.

import { expect, it } from "vitest";
import { completedRun } from "../../../src/contract/runs/examples.ts";
import { stopReasons } from "../../../src/contract/runs/run.ts";
import { runHeading } from "../../../src/render/run-page/run-heading.ts";
import { emptyReport } from "../../../src/report/run-report.ts";

const headings = (reasons: readonly string[]): readonly string[] =>
  reasons.map((stopReason) => {
    const run = { ...completedRun, stop_reason: stopReason, delivery: undefined };
    const { icon, text, tone } = runHeading(run, emptyReport());
    return `${stopReason}: ${icon} ${text} (${tone})`;
  });

it("says of every reason how the run ended", async () => {
  const lines = headings([...stopReasons, "a_reason_of_tomorrow"]);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("../golden/run-headings.txt");
});
