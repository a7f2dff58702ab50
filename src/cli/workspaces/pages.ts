// Lists of the service that come in pages, and the flag for the length of one.

import { integer } from "../../base/settings/kinds.ts";
import { valueFlag } from "../flags.ts";

const PAGE_ITEMS = 1_000;
const SHOWN = 100;
const MOST_SHOWN = 10_000;

type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string };
type ReadPage<Item> = (query: { readonly cursor: string; readonly limit: number }) => Promise<Page<Item>>;

export const limitFlag = valueFlag({
  kind: integer({ min: 1, max: MOST_SHOWN }),
  fallback: SHOWN,
  takes: "<n>",
  description: "How many, the newest first.",
});

/** All items, page by page. */
export async function* everyItem<Item>(readPage: ReadPage<Item>): AsyncIterable<Item> {
  for (let cursor = ""; ; ) {
    const page = await readPage({ cursor, limit: PAGE_ITEMS });
    yield* page.items;
    if (page.next_cursor === "") return;
    cursor = page.next_cursor;
  }
}

/** The first items, at most so many. */
export async function firstItems<Item>(readPage: ReadPage<Item>, count: number): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let cursor = ""; items.length < count; ) {
    const page = await readPage({ cursor, limit: Math.min(PAGE_ITEMS, count - items.length) });
    items.push(...page.items);
    if (page.next_cursor === "") break;
    cursor = page.next_cursor;
  }
  return items;
}
