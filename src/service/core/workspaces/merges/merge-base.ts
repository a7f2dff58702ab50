// The revision from which two revisions went apart: an ancestor of both that is no ancestor of another such one.

import type { Revision } from "../revisions/revision.ts";
import type { RevisionReader } from "../revisions/store-port.ts";

const OURS = 1;
const THEIRS = 2;
const BOTH = OURS | THEIRS;
/** An ancestor of a common one. */
const OLDER = 4;
/** Revisions that are read at a time: most changesets begin a few back. */
const PAGE = 50;

/** Null where they have none in common, or what they have in common was deleted. */
export async function findMergeBase(
  revisions: RevisionReader,
  ours: Revision,
  theirs: Revision,
): Promise<Revision | null> {
  const read = reader(revisions, [ours, theirs]);
  const marks = new Map<string, number>([[ours.id, OURS]]);
  marks.set(theirs.id, (marks.get(theirs.id) ?? 0) | THEIRS);
  const waiting = new Set(marks.keys());
  const common = new Map<string, Revision>();
  const isOlder = (id: string) => ((marks.get(id) ?? 0) & OLDER) !== 0;
  for (;;) {
    const found = [...common.values()].filter(({ id }) => !isOlder(id));
    // What is only older than a common one decides nothing, unless one of several is older than another.
    const isOver = found.length < 2 && [...waiting].every(isOlder);
    if (isOver || waiting.size === 0) return newest(found);
    // Ids grow with time, so that most are marked before they are looked at; clocks of nodes differ, and the others come again.
    const id = largest(waiting);
    waiting.delete(id);
    const revision = await read(id);
    if (revision === null) continue;
    let mark = marks.get(id) ?? 0;
    if (mark === BOTH) common.set(id, revision);
    if ((mark & BOTH) === BOTH) mark |= OLDER;
    for (const parent of revision.parentIds) {
      const before = marks.get(parent) ?? 0;
      if ((before | mark) === before) continue;
      marks.set(parent, before | mark);
      waiting.add(parent);
    }
  }
}

/** Whether `ancestor` is the revision, or one that it was made from. */
export async function isAncestor(
  revisions: RevisionReader,
  ancestor: Revision,
  revision: Revision,
): Promise<boolean> {
  return (await findMergeBase(revisions, ancestor, revision))?.id === ancestor.id;
}

function largest(ids: ReadonlySet<string>): string {
  let found = "";
  for (const id of ids) if (id > found) found = id;
  return found;
}

/** Of histories that crossed each other. */
function newest(revisions: readonly Revision[]): Revision | null {
  const [first = null] = revisions.toSorted((one, other) => other.createdAt - one.createdAt);
  return first;
}

/** Reads a revision, and with it some that are older. */
function reader(revisions: RevisionReader, known: readonly Revision[]) {
  const byId = new Map(known.map((revision) => [revision.id, revision]));
  return async (id: string): Promise<Revision | null> => {
    const seen = byId.get(id);
    if (seen !== undefined) return seen;
    const revision = await revisions.find(id);
    if (revision === null) return null;
    const { workspaceId } = revision;
    const older = await revisions.list({ workspaceId, isAccepted: null, before: id, limit: PAGE });
    for (const one of [revision, ...older]) byId.set(one.id, one);
    return revision;
  };
}
