// The overlay of a copy: files written since its base, as its view reads them.

import type { Core } from "../../core.ts";
import type { Copy } from "../copies/copy.ts";
import type { CopyEntryReader } from "../copies/entries-port.ts";
import { type ObjectSource, objectSource } from "../objects/object-source.ts";
import type { ObjectReader } from "../objects/store-port.ts";
import type { Revision } from "../revisions/revision.ts";
import type { CopyView, Overlay } from "./copy-view.ts";

type Reading = { readonly copyEntries: CopyEntryReader; readonly objects: ObjectReader };

export type ContentView = CopyView & { readonly source: ObjectSource };

/** The files of a copy, as a transaction sees them, or as they are committed. */
export function viewOfCopy(
  core: Core,
  { id, workspaceId, baseTreeOid: root }: Pick<Copy, "id" | "workspaceId" | "baseTreeOid">,
  reading: Reading = core.store.committed,
): ContentView {
  return { source: objectSource(core, workspaceId, reading), root, overlay: copyOverlay(reading, id) };
}

/** The files of a revision. */
export function viewOfRevision(
  core: Core,
  { workspaceId, treeOid: root }: Pick<Revision, "workspaceId" | "treeOid">,
  reading: Pick<Reading, "objects"> = core.store.committed,
): ContentView {
  return { source: objectSource(core, workspaceId, reading), root, overlay: null };
}

export function copyOverlay({ copyEntries }: Pick<Reading, "copyEntries">, copyId: string): Overlay {
  return {
    find: (path) => copyEntries.find({ copyId, path }),
    findAll: (paths) => copyEntries.findAll({ copyId, paths }),
    list: (range) => copyEntries.list({ copyId, ...range }),
  };
}
