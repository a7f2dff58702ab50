// A picture of things by size: a line each, with its name, a bar and its number. Pure.

import { type Contents, type Element, el } from "../html/element.ts";

type Bar = { readonly name: Contents; readonly value: number; readonly text: string };

/** `highest`: the value of a bar of the full width; without it that of the longest one. */
export function barList(
  label: string,
  bars: readonly Bar[],
  { highest = Math.max(1, ...bars.map(({ value }) => value)) }: { readonly highest?: number } = {},
): Element {
  return el(
    "ul",
    { class: "bars", "aria-label": label },
    ...bars.map(({ name, value, text }) =>
      el(
        "li",
        {},
        el("span", { class: "name" }, name),
        el(
          "svg",
          { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
          el("rect", {
            class: "solid",
            x: 0,
            y: 0,
            width: Number((100 * (value / highest)).toFixed(1)),
            height: 10,
          }),
        ),
        el("span", { class: "value" }, text),
      ),
    ),
  );
}
