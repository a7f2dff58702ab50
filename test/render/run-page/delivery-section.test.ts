// What became of a pull request's findings, on the page of the run that reviewed it: in the words of its check run.

import { expect, it } from "vitest";
import { toHtml } from "../../../src/render/html/element.ts";
import { deliverySection } from "../../../src/render/run-page/delivery-section.ts";
import { convergence, type OpenFinding } from "../../../src/report/findings.ts";

const finding = { path: "a.ts", startLine: 1, line: 1, severity: "error", title: "One", url: "" } as const;
const list = (count: number): OpenFinding[] => Array.from({ length: count }, () => finding);

it.each([
  ["none", { new: 0, open: 0, fixed: 0, declined: 0, withdrawn: 0 }],
  ["2 open", { new: 2, open: 0, fixed: 0, declined: 0, withdrawn: 0 }],
  ["1 open", { new: 0, open: 1, fixed: 0, declined: 0, withdrawn: 0 }],
  ["3 open (1 new), 4 fixed, 5 withdrawn", { new: 1, open: 2, fixed: 4, declined: 0, withdrawn: 5 }],
  ["1 open (1 new), 1 declined", { new: 1, open: 0, fixed: 0, declined: 1, withdrawn: 0 }],
  ["0 open, 3 fixed", { new: 0, open: 0, fixed: 3, declined: 0, withdrawn: 0 }],
])("are %s", (said, counts) => {
  const { new: fresh, open, ...closed } = counts;
  const page = deliverySection({
    ...{ state: "reported", at: "2026-03-01T00:00:00.000Z", conclusion: "success", title: "Reviewed" },
    findings: { pull_request: 131, ...counts },
  });
  expect(page.map(toHtml).join("")).toContain(`<dt>Findings</dt><dd>#131: ${said}</dd>`);
  const ofCheckRun = convergence({
    ...{
      fresh: list(fresh).map((one) => ({ ...one, body: "", suggestion: null })),
      open: list(open),
      closed,
    },
    ...{ annotated: 0, commented: 0, repeated: 0, late: [], minor: 0, reviewUrl: null, check: null },
    ...{ dismissed: 0, unresolved: 0, unread: null, worst: null },
  });
  expect(ofCheckRun === "" || ofCheckRun === said).toBe(true);
});
