// The plan of a pull or a push: each path as it is in the folder and in the copy, and as both were when they last met. A change
// of one side travels; a change of both is a conflict, and with one nothing travels. Pure.
// Why: docs/decisions/081-a-folder-and-a-copy.md

import { type FileStates, isSameFile, type LocalFileState } from "./file-state.ts";

export type Sides = {
  /** As folder and copy were when they last met. */
  readonly base: FileStates;
  readonly local: FileStates;
  readonly remote: FileStates;
};

/** A file that is put in the place of `from`; null there: of nothing. Null in `to`: it is removed. */
export type FileStep = {
  readonly path: string;
  readonly from: LocalFileState | null;
  readonly to: LocalFileState | null;
};

export type SyncConflict = {
  readonly path: string;
  /** "in_the_way": a file has the name of a folder on the other side. */
  readonly kind: "both_changed" | "in_the_way";
  readonly local: LocalFileState | null;
  readonly remote: LocalFileState | null;
};

export type SyncPlan = {
  /** Removals first, so that a folder may take the place of a file. Empty where there are conflicts. */
  readonly steps: readonly FileStep[];
  /** Paths that have changed on the side that this does not change. */
  readonly left: readonly string[];
  readonly conflicts: readonly SyncConflict[];
  /** The state in which both sides met, once the steps are done. */
  readonly met: FileStates;
};

/** Brings what has changed in the copy to the folder. `take` decides what has changed in both. */
export function planPull(sides: Sides, take: "local" | "remote" | null): SyncPlan {
  return plan(sides, { from: sides.remote, onto: sides.local, other: "remote", take });
}

/** Brings what has changed in the folder to the copy. `take` decides what has changed in both. */
export function planPush(sides: Sides, take: "local" | "remote" | null = null): SyncPlan {
  return plan(sides, { from: sides.local, onto: sides.remote, other: "local", take });
}

type Direction = {
  readonly from: FileStates;
  readonly onto: FileStates;
  /** The value of `take` where the side that changes come from wins. */
  readonly other: "local" | "remote";
  readonly take: "local" | "remote" | null;
};

function plan(sides: Sides, { from, onto, other, take }: Direction): SyncPlan {
  const { base, local, remote } = sides;
  const steps: FileStep[] = [];
  const left: string[] = [];
  const conflicts: SyncConflict[] = [];
  const met = new Map<string, LocalFileState>();
  const meet = (path: string, state: LocalFileState | null) => {
    if (state !== null) met.set(path, state);
  };
  const after = new Map(onto);
  for (const path of pathsOf(sides)) {
    const [was, here, there] = [base.get(path) ?? null, onto.get(path) ?? null, from.get(path) ?? null];
    if (isSameFile(here, there)) meet(path, here);
    else if (isSameFile(there, was)) {
      left.push(path);
      meet(path, was);
    } else if (isSameFile(here, was) || take === other) {
      steps.push({ path, from: here, to: there });
      if (there === null) after.delete(path);
      else after.set(path, there);
      meet(path, there);
    } else if (take !== null) {
      // It stays, as a change of what the other side has now.
      left.push(path);
      meet(path, there);
    } else {
      conflicts.push({
        path,
        kind: "both_changed",
        local: local.get(path) ?? null,
        remote: remote.get(path) ?? null,
      });
    }
  }
  for (const path of inTheWay(after, steps)) {
    const [localFile = null, remoteFile = null] = [local.get(path), remote.get(path)];
    conflicts.push({ path, kind: "in_the_way", local: localFile, remote: remoteFile });
  }
  if (conflicts.length > 0) return { steps: [], left, conflicts: conflicts.sort(byPath), met: base };
  return { steps: steps.sort(removalsFirst), left, conflicts, met };
}

function pathsOf({ base, local, remote }: Sides): readonly string[] {
  return [...new Set([...base.keys(), ...local.keys(), ...remote.keys()])].sort();
}

/** Paths that would be put below a file, or in the place of a folder. */
function inTheWay(after: FileStates, steps: readonly FileStep[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of after.keys()) for (const folder of foldersAbove(path)) folders.add(folder);
  return steps
    .filter(({ to }) => to !== null)
    .map(({ path }) => path)
    .filter((path) => folders.has(path) || foldersAbove(path).some((folder) => after.has(folder)));
}

/** "a/b/c": "a/b", "a". */
export function foldersAbove(path: string): readonly string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end));
  }
  return folders;
}

function removalsFirst(one: FileStep, other: FileStep): number {
  const [a, b] = [one.to === null ? 0 : 1, other.to === null ? 0 : 1];
  return a - b || byPath(one, other);
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}
