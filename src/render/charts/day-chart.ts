// A picture of days: a bar a day, stacked. Its parts differ by colour and by pattern; each bar says its numbers. Pure.

import { type Contents, type Element, el } from "../html/element.ts";

/** Of every bar, from the bottom up. The style has a class for each, and this file a pattern for all but the first. */
export const chartParts = ["solid", "hatched", "dotted"] as const;
export type ChartPart = (typeof chartParts)[number];

export type DayBar = {
  readonly day: string;
  readonly values: Readonly<Partial<Record<ChartPart, number>>>;
  /** What the bar says of itself. */
  readonly text: string;
};

type DayChart = {
  /** Distinguishes its patterns from those of other pictures of the page. */
  readonly id: string;
  /** For who does not see it. */
  readonly label: string;
  /** What the parts are. One part needs no words. */
  readonly legend: readonly { readonly part: ChartPart; readonly text: string }[];
  readonly bars: readonly DayBar[];
  readonly highestText: string;
};

const HEIGHT = 100;
const BAR = 10;
const GAP = 2;

export function dayChart({ id, label, legend, bars, highestText }: DayChart): Element {
  const highest = Math.max(1, ...bars.map(heightOf));
  const drawn = bars.map((bar, index) => drawBar(bar, { x: index * BAR, highest, id }));
  return el(
    "figure",
    { class: "chart" },
    legend.length > 1 ? el("ul", { class: "legend" }, ...legend.map((one) => legendItem(one, id))) : null,
    el("p", { class: "highest faint" }, highestText),
    el(
      "svg",
      {
        class: "days",
        viewBox: `0 0 ${Math.max(1, bars.length) * BAR} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": label,
      },
      patterns(id),
      ...drawn,
    ),
    el(
      "p",
      { class: "ends faint" },
      el("span", {}, bars[0]?.day ?? ""),
      el("span", {}, bars.at(-1)?.day ?? ""),
    ),
  );
}

function heightOf({ values }: DayBar): number {
  return chartParts.reduce((sum, part) => sum + (values[part] ?? 0), 0);
}

function drawBar(
  { values, text }: DayBar,
  { x, highest, id }: { x: number; highest: number; id: string },
): Element {
  let below = 0;
  const parts = chartParts.flatMap((part): Contents[] => {
    const value = values[part] ?? 0;
    if (value <= 0) return [];
    const height = (value / highest) * HEIGHT;
    below += height;
    return [partRect(part, { x: x + GAP / 2, y: HEIGHT - below, width: BAR - GAP, height, id })];
  });
  // The whole column answers to the pointer, also where the bar is low.
  const column = el("rect", { class: "column", x, y: 0, width: BAR, height: HEIGHT });
  return el("g", {}, el("title", {}, text), column, ...parts);
}

type Rect = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

function partRect(part: ChartPart, { id, ...place }: Rect & { readonly id: string }): Element {
  const at = Object.fromEntries(Object.entries(place).map(([name, value]) => [name, rounded(value)]));
  return el("rect", { class: part, ...at, ...(part === "solid" ? {} : { fill: `url(#${id}-${part})` }) });
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function legendItem({ part, text }: { part: ChartPart; text: string }, id: string): Element {
  const sample = partRect(part, { x: 0, y: 0, width: 10, height: 10, id });
  return el("li", {}, el("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, sample), " ", text);
}

function patterns(id: string): Element {
  const of = (part: ChartPart, ...shapes: Element[]) =>
    el(
      "pattern",
      { id: `${id}-${part}`, width: 4, height: 4, patternUnits: "userSpaceOnUse", class: part },
      ...shapes,
    );
  const ground = () => el("rect", { class: "ground", width: 4, height: 4 });
  return el(
    "defs",
    {},
    of("hatched", ground(), el("path", { class: "ink", d: "M-1 1L1 -1M0 4L4 0M3 5L5 3" })),
    of("dotted", ground(), el("circle", { class: "ink", cx: 2, cy: 2, r: 1 })),
  );
}
