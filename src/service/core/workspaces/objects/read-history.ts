// The objects to which commits of a workspace lead, out of the store, some at a time.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import type { GivenObject } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import { parseCommit } from "./commit-object.ts";
import { MissingObjectError } from "./git-object.ts";
import { objectSource } from "./object-source.ts";
import { parseTree } from "./tree-object.ts";

const OBJECTS_AT_ONCE = 500;

type HistoryReading = {
  readonly workspaceId: string;
  /** Commits. */
  readonly tips: readonly string[];
  /** Whether the reader has an object, with all that it leads to. Nothing unless told. */
  readonly isKnown?: (oid: string) => boolean;
};

/** The commits, and all that they lead to, each once. Throws a MissingObjectError. */
export async function* readHistory(
  core: Core,
  { workspaceId, tips, isKnown = () => false }: HistoryReading,
): AsyncGenerator<GivenObject> {
  const { objects } = core.store.committed;
  const source = objectSource(core, workspaceId);
  const named = new Set(tips);
  const files: string[] = [];
  for (let level = [...named]; level.length > 0; ) {
    const next: string[] = [];
    for (const oids of partsOf(level)) {
      const absent = new Set(oids);
      for (const { oid, kind, data } of await objects.findNodes({ workspaceId, oids })) {
        absent.delete(oid);
        yield { oid, kind, data };
        const below = kind === "tree" ? parseTree(data) : commitsAndTree(data);
        for (const { oid: child, mode } of below) {
          if (named.has(child) || mode === "160000" || isKnown(child)) continue;
          named.add(child);
          if (mode === "40000") next.push(child);
          else files.push(child);
        }
      }
      if (absent.delete(EMPTY_TREE)) yield { oid: EMPTY_TREE, kind: "tree", data: new Uint8Array() };
      const [missing] = absent;
      if (missing !== undefined) throw new MissingObjectError(missing);
    }
    level = next;
  }
  for (const oids of partsOf(files)) {
    for (const { oid, size, data } of await objects.find({ workspaceId, oids })) {
      if (data !== null) yield { oid, kind: "blob", data };
      else yield { oid, kind: "blob", size, open: () => opened(source.open(oid)) };
    }
  }
}

/** As a tree names its folders. */
function commitsAndTree(data: Uint8Array): readonly { readonly oid: string; readonly mode: string }[] {
  const { tree, parents } = parseCommit(data);
  return [tree, ...parents].map((oid) => ({ oid, mode: "40000" }));
}

async function* opened(blob: Promise<{ readonly content: AsyncIterable<Uint8Array> }>) {
  yield* (await blob).content;
}

function partsOf(oids: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  for (let at = 0; at < oids.length; at += OBJECTS_AT_ONCE) parts.push(oids.slice(at, at + OBJECTS_AT_ONCE));
  return parts;
}
