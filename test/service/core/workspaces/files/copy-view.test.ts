// What a copy shows, against a map of paths: base and what was written over it, on every store.

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compareBytes } from "../../../../../src/base/byte-order.ts";
import { EMPTY_TREE } from "../../../../../src/base/git/object-names.ts";
import type { StoredFile } from "../../../../../src/service/core/workspaces/copies/copy-entry.ts";
import { copyOverlay } from "../../../../../src/service/core/workspaces/files/copy-overlay.ts";
import {
  type CopyView,
  findAbove,
  findInView,
  type ViewFile,
  walkView,
} from "../../../../../src/service/core/workspaces/files/copy-view.ts";
import { listView } from "../../../../../src/service/core/workspaces/files/list-view.ts";
import { keepObjects, rowObject } from "../../../../../src/service/core/workspaces/objects/keep-objects.ts";
import { objectSource } from "../../../../../src/service/core/workspaces/objects/object-source.ts";
import { sortKey } from "../../../../../src/service/core/workspaces/objects/tree-object.ts";
import { applyChanges } from "../../../../../src/service/core/workspaces/trees/apply-changes.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

type Files = ReadonlyMap<string, StoredFile>;

// Few names, so that base and changes meet; those around "/" and above U+FFFF sort as nobody expects.
const segment = fc.constantFrom("a", "b", "a.b", "a-", "a0", "\uE000", "\u{10000}");
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/"));
const file = fc.record<StoredFile>({
  mode: fc.constantFrom("100644" as const, "100755" as const),
  oid: fc.constantFrom("1".repeat(40), "2".repeat(40), "3".repeat(40)),
  size: fc.constant(7),
});
const files: fc.Arbitrary<Files> = fc
  .array(fc.tuple(path, file), { maxLength: 14 })
  .map((pairs) => withoutClashes(new Map(pairs)));

function foldersOf(of: string): string[] {
  const segments = of.split("/");
  return segments.slice(1).map((_segment, at) => segments.slice(0, at + 1).join("/"));
}

function withoutClashes(map: Map<string, StoredFile>): Files {
  const kept = new Map<string, StoredFile>();
  for (const [at, one] of map) {
    const isClash = [...kept.keys()].some(
      (other) => foldersOf(other).includes(at) || foldersOf(at).includes(other),
    );
    if (!isClash) kept.set(at, one);
  }
  return kept;
}

onEveryStore((kind) => {
  let fixture: CoreFixture;
  let count = 0;
  beforeAll(async () => {
    fixture = await CoreFixture.start({ store: kind });
  });
  afterAll(() => fixture.close());

  /** A view of `now` over `base`, with entries that change nothing, too. */
  const viewOf = async (base: Files, now: Files): Promise<CopyView> => {
    const { core } = fixture;
    const workspaceId = "w";
    const copyId = `copy-${count++}`;
    const source = objectSource(core, workspaceId);
    const made = await applyChanges(source, EMPTY_TREE, base);
    if (!made.ok) throw new Error("The base has a clash.");
    await core.store.transact(async (tx) => {
      const objects = made.value.made.map(({ oid, data }) => rowObject({ kind: "tree", data }, oid));
      await keepObjects(tx, { workspaceId, objects, now: 1 });
      const entries = [...new Set([...base.keys(), ...now.keys()])]
        .filter((at) => JSON.stringify(base.get(at)) !== JSON.stringify(now.get(at)) || at.length % 3 === 0)
        .map((at) => ({ path: at, file: now.get(at) ?? null, changedAt: 1 }));
      await tx.copyEntries.put({ copyId, entries });
    });
    return { source, root: made.value.root, overlay: copyOverlay(core.store.committed, copyId) };
  };

  it("is base and changes as one", async () => {
    const sized = ({ path: at, mode, oid }: ViewFile) => ({ path: at, mode, oid });
    await fc.assert(
      fc.asyncProperty(
        files,
        files,
        path,
        fc.integer({ min: 1, max: 5 }),
        async (base, now, somewhere, limit) => {
          const view = await viewOf(base, now);
          const all = [...now].map(([at, { mode, oid }]) => ({ path: at, mode, oid }));
          all.sort((x, y) => compareBytes(x.path, y.path));
          const walk = async (options: Parameters<typeof walkView>[1]) => {
            const found: ViewFile[] = [];
            for await (const some of walkView(view, options)) found.push(...some);
            return found.map(sized);
          };
          expect(await walk({})).toEqual(all);
          const later = all.filter((one) => compareBytes(one.path, somewhere) > 0);
          expect(await walk({ after: somewhere, limit })).toEqual(later.slice(0, limit));
          const below = all.filter((one) => one.path.startsWith(`${somewhere}/`));
          expect(await walk({ under: somewhere })).toEqual(below);

          const found = await findInView(view, somewhere);
          const here = now.get(somewhere);
          if (below.length > 0) expect(found?.mode).toBe("40000");
          else expect(found?.oid ?? null).toBe(here?.oid ?? null);
          const above = foldersOf(somewhere).find((folder) => now.has(folder)) ?? null;
          expect(await findAbove(view, somewhere)).toBe(above);

          for (const folder of ["", somewhere]) {
            const prefix = folder === "" ? "" : `${folder}/`;
            const keys = all
              .filter((one) => one.path.startsWith(prefix))
              .map((one) => one.path.slice(prefix.length))
              .map((rest) => (rest.includes("/") ? rest.slice(0, rest.indexOf("/") + 1) : rest));
            const expected = [...new Set(keys)].sort(compareBytes);
            const listed: string[] = [];
            for (let after: string | null = null; ; ) {
              const page = await listView(view, { folder, after, limit });
              if (page === null) break;
              const names = page.map((one) =>
                sortKey({ mode: one.mode, name: one.path.slice(prefix.length) }),
              );
              listed.push(...names);
              after = names.at(-1) ?? null;
              if (page.length < limit) break;
            }
            expect(listed).toEqual(expected);
            if (expected.length === 0 && folder !== "") {
              expect(await listView(view, { folder, after: null, limit })).toBe(null);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("of many entries is read some at a time", async () => {
    const one = { mode: "100644", oid: "1".repeat(40), size: 7 } as const;
    const base = new Map(Array.from({ length: 3_000 }, (_, at) => [`a/${at % 7}/${at}`, one] as const));
    const now = new Map(Array.from({ length: 2_500 }, (_, at) => [`b/${at % 3}/${at}`, one] as const));
    const view = await viewOf(base, now);
    // Everything in `a` is deleted, entry by entry.
    expect((await listView(view, { folder: "", after: null, limit: 10 }))?.map((at) => at.path)).toEqual([
      "b",
    ]);
    expect(await findInView(view, "a/3")).toBe(null);
    expect((await listView(view, { folder: "b", after: null, limit: 10 }))?.map((at) => at.path)).toEqual([
      "b/0",
      "b/1",
      "b/2",
    ]);
    let walked = 0;
    for await (const some of walkView(view)) walked += some.length;
    expect(walked).toBe(2_500);
  });
});
