// Pictures as elements: parts that differ by more than colour, numbers for who does not see them, nothing of others as markup.

import { expect, it } from "vitest";
import { barList } from "../../src/render/charts/bar-list.ts";
import { stackedChart } from "../../src/render/charts/stacked-chart.ts";
import { toHtml } from "../../src/render/html/element.ts";

const legend = [
  { part: "solid", text: "completed" },
  { part: "hatched", text: "failed" },
] as const;

it("stacks the parts of a bar, each with its pattern and in words", () => {
  const bars = [
    { name: "2026-03-01", values: { solid: 3, hatched: 1 }, text: "2026-03-01: 3 completed, 1 failed" },
    { name: "2026-03-02", values: {}, text: "2026-03-02: none" },
  ];
  const shown = toHtml(
    stackedChart({ id: "runs", label: "Runs by day", legend, bars, highestText: "Highest day: 4" }),
  );
  expect(shown).toContain('role="img" aria-label="Runs by day"');
  expect(shown).toContain("<title>2026-03-01: 3 completed, 1 failed</title>");
  expect(shown).toContain('<rect class="solid" x="1" y="25" width="8" height="75"></rect>');
  expect(shown).toContain(
    '<rect class="hatched" x="1" y="0" width="8" height="25" fill="url(#runs-hatched)"></rect>',
  );
  expect(shown).toContain('<pattern id="runs-hatched"');
  expect(shown).not.toContain("style=");
});

it("draws a limit to scale, named in the legend, and leaves room where there are few bars", () => {
  const bars = [{ name: "Turn 1", values: { solid: 50 }, text: "Turn 1: 50" }];
  const limit = { value: 200, text: "context window" };
  const chart = { id: "x", label: "Tokens", legend: [], bars, highestText: "", room: 20 };
  const shown = toHtml(stackedChart({ ...chart, limit, legend: [{ part: "solid", text: "input" }] }));
  expect(shown).toContain('viewBox="0 0 200 100"');
  expect(shown).toContain('<path class="limit" d="M0 0H200"></path>');
  expect(shown).toContain('<rect class="solid" x="1" y="75" width="8" height="25"></rect>');
  expect(shown).toContain("> context window</li>");
  expect(toHtml(stackedChart(chart))).not.toContain("limit");
});

it("draws bars by the highest, and names of others as text", () => {
  const shown = toHtml(
    barList("Cost", [
      { name: "<b>large</b>", value: 10, text: "10" },
      { name: "small", value: 5, text: "5" },
    ]),
  );
  expect(shown).toContain("&lt;b&gt;large");
  expect([...shown.matchAll(/width="(\d+)"/g)].map(([, width]) => width)).toEqual(["100", "50"]);
});

it("draws nothing where there is nothing", () => {
  const shown = toHtml(stackedChart({ id: "x", label: "Nothing", legend: [], bars: [], highestText: "" }));
  expect(shown).not.toContain("<title>");
  expect(toHtml(barList("Nothing", []))).toBe('<ul class="bars" aria-label="Nothing"></ul>');
});
