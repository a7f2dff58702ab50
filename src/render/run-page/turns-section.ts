// The tokens of a run by turn: a picture of what its model read and wrote, beside its context window, and the table of it. Pure.
// Why: docs/decisions/164-turns-say-their-tokens.md

import { singleLine } from "../../base/untrusted-text.ts";
import type { TurnRole, TurnUsage } from "../../contract/runs/turn-usage.ts";
import { type StackedBar, stackedChart } from "../charts/stacked-chart.ts";
import { type Contents, type Element, el } from "../html/element.ts";
import { countText, plural } from "../quantities.ts";

/** More turns are drawn several to a bar. */
const MAX_BARS = 60;
/** Bars that there is room for. */
const ROOM = 20;
/** Below this share of the window the bars would be too low to be compared: the window is said in words alone. */
const LEAST_SHARE = 0.1;
const MAX_ROWS = 400;
const MAX_MODEL_CHARS = 200;

const roleTexts: Readonly<Record<TurnRole, string>> = {
  executor: "agent",
  explorer: "explorer",
  advisor: "advisor",
  reviewer: "reviewer",
};

/** What the agent itself used in a turn, whichever models it asked. */
type AgentTurn = {
  readonly turn: number;
  readonly uncached: number;
  readonly cached: number;
  readonly output: number;
};

/** Empty where no turn is told of. */
export function turnsSection(told: readonly TurnUsage[]): readonly Contents[] {
  if (told.length === 0) return [];
  return [el("h2", {}, "Tokens by turn"), el("div", { class: "tokens" }, chartOf(told)), tableOf(told)];
}

function chartOf(told: readonly TurnUsage[]): Element | null {
  const own = told.filter(({ role }) => role === "executor");
  const turns = agentTurns(own);
  if (turns.length === 0) return null;
  const highest = Math.max(...turns.map(tokensOf));
  const window = own.findLast((one) => one.context_window !== undefined)?.context_window ?? null;
  const fullest = Math.max(0, ...own.map((one) => one.context_tokens ?? 0));
  const windowText = window === null ? null : `Context window: ${plural(window, "token")}`;
  const share =
    window === null || fullest === 0 ? null : `The largest request took ${shareText(fullest / window)} of it`;
  const context = [windowText, share].filter((text) => text !== null).join(". ");
  const highestText = `Highest turn: ${plural(highest, "token")}`;
  return stackedChart({
    id: "tokens-by-turn",
    label: `Tokens by turn: ${plural(turns.length, "turn")}. ${[highestText, context].filter((text) => text !== "").join(". ")}.`,
    legend: [
      { part: "solid", text: "new input" },
      { part: "hatched", text: "input from a cache" },
      { part: "dotted", text: "output" },
    ],
    bars: barsOf(turns),
    highestText: context === "" ? highestText : `${highestText}. ${context}`,
    limit:
      window !== null && highest >= LEAST_SHARE * window ? { value: window, text: "context window" } : null,
    room: ROOM,
  });
}

function agentTurns(own: readonly TurnUsage[]): readonly AgentTurn[] {
  const turns = new Map<number, AgentTurn>();
  for (const one of own) {
    const before = turns.get(one.turn) ?? { turn: one.turn, uncached: 0, cached: 0, output: 0 };
    turns.set(one.turn, {
      turn: one.turn,
      uncached: before.uncached + one.uncached_input_tokens,
      cached: before.cached + one.cached_input_tokens,
      output: before.output + one.output_tokens,
    });
  }
  return [...turns.values()];
}

/** Several turns are one bar: that of the largest of them, so that what comes near the window is seen. */
function barsOf(turns: readonly AgentTurn[]): readonly StackedBar[] {
  const size = Math.ceil(turns.length / MAX_BARS);
  return Array.from({ length: Math.ceil(turns.length / size) }, (_, at) =>
    barOf(turns.slice(at * size, (at + 1) * size)),
  );
}

function barOf(group: readonly AgentTurn[]): StackedBar {
  const largest = group.reduce((most, one) => (tokensOf(one) > tokensOf(most) ? one : most));
  const { turn, uncached, cached, output } = largest;
  const [first, last] = [group[0]?.turn ?? turn, group.at(-1)?.turn ?? turn];
  const name = first === last ? `Turn ${turn}` : `Turns ${first} to ${last}`;
  const which = first === last ? "" : `, most in turn ${turn}`;
  return {
    name,
    values: { solid: uncached, hatched: cached, dotted: output },
    text: `${name}${which}: ${countText(uncached)} new input, ${countText(cached)} from a cache, ${countText(output)} output`,
  };
}

function tokensOf({ uncached, cached, output }: AgentTurn): number {
  return uncached + cached + output;
}

function shareText(share: number): string {
  return share < 0.01 ? "less than 1 %" : `${Math.round(share * 100)} %`;
}

const columns: readonly (readonly [string, (one: TurnUsage) => number | undefined])[] = [
  ["Requests", ({ requests }) => requests],
  ["New input", (one) => one.uncached_input_tokens],
  ["From a cache", (one) => one.cached_input_tokens],
  ["Output", (one) => one.output_tokens],
  ["Largest request", (one) => one.context_tokens],
];

/** Every turn with everybody who was asked in it, behind one line. */
function tableOf(told: readonly TurnUsage[]): Element {
  const heads = columns.map(([name]) => el("th", { scope: "col", class: "number" }, name));
  const rest = told.length - MAX_ROWS;
  return el(
    "details",
    {},
    el("summary", {}, "Table"),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Table of tokens by turn" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "Turn"),
            el("th", { scope: "col" }, "Asked"),
            el("th", { scope: "col" }, "Model"),
            ...heads,
          ),
        ),
        el("tbody", {}, ...told.slice(0, MAX_ROWS).map(rowOf)),
      ),
    ),
    rest > 0 ? el("p", { class: "faint" }, `${plural(rest, "more line")} are in the events.`) : null,
  );
}

function rowOf(one: TurnUsage): Element {
  const number = (count: number | undefined) =>
    el("td", { class: "number" }, count === undefined ? "" : countText(count));
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, String(one.turn)),
    el("td", {}, roleTexts[one.role]),
    el("td", {}, one.model === undefined ? "" : singleLine(one.model, MAX_MODEL_CHARS)),
    ...columns.map(([, of]) => number(of(one))),
  );
}
