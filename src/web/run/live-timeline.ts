// The timeline on the page of a run in flight: drawn anew, as open as its reader has left it.

import type { Element as Drawn } from "../../render/html/element.ts";
import type { GroupedRow } from "../../render/run-page/grouping.ts";
import { waterfall } from "../../render/run-page/waterfall.ts";
import type { RunReport } from "../../report/run-report.ts";
import { redraw, toNode } from "./draw.ts";

export class LiveTimeline {
  #drawn: { readonly node: HTMLElement; readonly as: Drawn } | null = null;

  /** What is folded is not drawn, except at the run's end. */
  draw(report: RunReport, rows: readonly GroupedRow[]): void {
    const isShut = document.querySelector<HTMLDetailsElement>(".waterfall")?.open === false;
    if (isShut && report.state.status === "running") return;
    const after = waterfall(report, rows);
    if (after === null) return;
    if (this.#drawn === null) this.#drawn = begun(after);
    // Whether it is open is the reader's choice from here on.
    const { open: _, ...attributes } = after.attributes;
    const as = { ...after, attributes };
    if (this.#drawn === null) return;
    redraw(this.#drawn.node, this.#drawn.as, as);
    this.#drawn = { ...this.#drawn, as };
  }
}

/** An empty one, in the place of the service's where there is one. */
function begun({ tag, attributes }: Drawn): { readonly node: HTMLElement; readonly as: Drawn } | null {
  const { open, ...others } = attributes;
  const as = { tag, attributes: others, children: [] };
  const node = toNode(as);
  if (!(node instanceof HTMLDetailsElement)) return null;
  const before = document.querySelector<HTMLDetailsElement>(".waterfall");
  node.open = before?.open ?? open === true;
  if (before === null) document.getElementById("tools")?.before(node);
  else before.replaceWith(node);
  return { node, as };
}
