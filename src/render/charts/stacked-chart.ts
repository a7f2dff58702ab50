// A picture of what comes in an order, such as days or turns: a bar for each, stacked. Its parts differ by colour and by pattern; each
// bar says its numbers. Pure.

import { type Contents, type Element, el } from "../html/element.ts";

/** Of every bar, from the bottom up. The style has a class for each, and this file a pattern for all but the first. */
const chartParts = ["solid", "hatched", "dotted"] as const;
export type ChartPart = (typeof chartParts)[number];

export type StackedBar = {
  readonly name: string;
  readonly values: Readonly<Partial<Record<ChartPart, number>>>;
  /** What the bar says of itself. */
  readonly text: string;
};

type StackedChart = {
  /** Distinguishes its patterns from those of other pictures of the page. */
  readonly id: string;
  /** For who does not see it. */
  readonly label: string;
  /** What the parts are. One part needs no words. */
  readonly legend: readonly { readonly part: ChartPart; readonly text: string }[];
  readonly bars: readonly StackedBar[];
  readonly highestText: string;
  /** A value that the bars are compared with: a dashed line. Default: there is none. */
  readonly limit?: { readonly value: number; readonly text: string } | null;
  /** The least number of bars that there is room for: a few are not wide. Default: as many as there are. */
  readonly room?: number;
};

const HEIGHT = 100;
const BAR = 10;
const GAP = 2;

export function stackedChart(chart: StackedChart): Element {
  const { id, label, legend, bars, highestText, limit = null, room = 1 } = chart;
  const highest = Math.max(1, limit?.value ?? 0, ...bars.map(heightOf));
  const drawn = bars.map((bar, index) => drawBar(bar, { x: index * BAR, highest, id }));
  const width = Math.max(room, bars.length) * BAR;
  const items = [
    ...legend.map((one) => legendItem(one.text, [partRect(one.part, { ...SAMPLE, id })])),
    ...(limit === null ? [] : [legendItem(limit.text, [limitLine({ y: 5, width: 10 })])]),
  ];
  return el(
    "figure",
    { class: "chart" },
    items.length > 1 ? el("ul", { class: "legend" }, ...items) : null,
    el("p", { class: "highest faint" }, highestText),
    el(
      "svg",
      {
        class: "stacked",
        viewBox: `0 0 ${width} ${HEIGHT}`,
        preserveAspectRatio: "none",
        role: "img",
        "aria-label": label,
      },
      patterns(id),
      ...drawn,
      limit === null ? null : limitLine({ y: rounded(HEIGHT - (limit.value / highest) * HEIGHT), width }),
    ),
    endsOf(bars, room),
  );
}

const SAMPLE = { x: 0, y: 0, width: 10, height: 10 };

/** Below the first bar and the last one, which is at the right only where no room is left. */
function endsOf(bars: readonly StackedBar[], room: number): Element {
  const [first, last] = [bars[0]?.name ?? "", bars.at(-1)?.name ?? ""];
  if (bars.length < room) return el("p", { class: "faint" }, first === last ? first : `${first} to ${last}`);
  return el("p", { class: "ends faint" }, el("span", {}, first), el("span", {}, last));
}

function heightOf({ values }: StackedBar): number {
  return chartParts.reduce((sum, part) => sum + (values[part] ?? 0), 0);
}

function drawBar(
  { values, text }: StackedBar,
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

function limitLine({ y, width }: { readonly y: number; readonly width: number }): Element {
  return el("path", { class: "limit", d: `M0 ${y}H${width}` });
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function legendItem(text: string, sample: readonly Element[]): Element {
  return el("li", {}, el("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, ...sample), " ", text);
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
