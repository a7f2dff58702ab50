// A reply as data, for people: objects as lists of names and values, lists of like objects as tables. Pure. The data is untrusted.

import { isObject, parseJson } from "../../base/json.ts";
import { withoutJsonFence } from "../../base/json-fence.ts";
import { type Contents, type Element, el, said } from "../html/element.ts";
import { markdownElements } from "../html/markdown-elements.ts";
import { countText } from "../quantities.ts";

/** Of one list, and of one object's fields. */
const MAX_ITEMS = 200;
const MAX_COLUMNS = 8;
/** Deeper data is shown as JSON. */
const MAX_DEPTH = 5;

/** The object or list that a reply is, in a fence or without one; undefined where it is a text. */
export function dataIn(reply: string): unknown {
  const text = withoutJsonFence(reply);
  if (!/^[{[]/.test(text)) return undefined;
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? value : undefined;
}

export function dataElements(value: unknown, depth = 0): Contents {
  if (typeof value === "string") return textElements(value);
  if (value === null || typeof value !== "object") return el("code", {}, said(String(value)));
  if (depth >= MAX_DEPTH) return el("code", {}, said(JSON.stringify(value)));
  if (Array.isArray(value)) return listElements(value, depth);
  const fields = Object.entries(value);
  if (fields.length === 0) return el("span", { class: "faint" }, "nothing");
  return [
    el(
      "dl",
      { class: "data" },
      ...fields
        .slice(0, MAX_ITEMS)
        .flatMap(([name, field]) => [el("dt", {}, said(name)), el("dd", {}, dataElements(field, depth + 1))]),
    ),
    moreText(fields.length),
  ];
}

function textElements(text: string): Contents {
  return text.includes("\n") ? el("div", { class: "said" }, ...markdownElements(text)) : said(text);
}

function listElements(items: readonly unknown[], depth: number): Contents {
  if (items.length === 0) return el("span", { class: "faint" }, "none");
  const columns = columnsOf(items);
  const shown = items.slice(0, MAX_ITEMS);
  return [
    columns === null
      ? el("ul", {}, ...shown.map((item) => el("li", {}, dataElements(item, depth + 1))))
      : table(columns, shown.filter(isObject)),
    moreText(items.length),
  ];
}

/** The names that all items have together. Null where they are no rows of a table. */
function columnsOf(items: readonly unknown[]): readonly string[] | null {
  if (!items.every(isObject)) return null;
  const names = new Set(items.slice(0, MAX_ITEMS).flatMap((item) => Object.keys(item)));
  const isFlat = items.every((item) =>
    Object.values(item).every((field) => typeof field !== "object" || field === null),
  );
  return names.size > 0 && names.size <= MAX_COLUMNS && isFlat ? [...names] : null;
}

function table(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): Element {
  return el(
    "div",
    { class: "scroll", tabindex: 0 },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...columns.map((name) => el("th", { scope: "col" }, said(name))))),
      el(
        "tbody",
        {},
        ...rows.map((row) =>
          el(
            "tr",
            {},
            ...columns.map((name) => el("td", {}, Object.hasOwn(row, name) ? dataElements(row[name]) : null)),
          ),
        ),
      ),
    ),
  );
}

function moreText(count: number): Contents {
  return count <= MAX_ITEMS ? null : el("p", { class: "faint" }, `and ${countText(count - MAX_ITEMS)} more`);
}
