// The folders of a commit on the way to changed paths, and the trees that these changes make of them. Git is asked for folders that
// no earlier call has read.

import { hash } from "node:crypto";
import { dirname } from "node:path";
import type { Git } from "../../../base/git/git.ts";
import { type ObjectFormat, objectFormatOf } from "../../../base/git/object-names.ts";
import { objectHeader } from "../../core/workspaces/objects/git-object.ts";
import { modeOf } from "../../core/workspaces/objects/tree-object.ts";
import { bytesOf } from "../byte-paths.ts";
import { askObjects, ObjectQuestions } from "../cat-file.ts";
import { type NamedObject, namedBy } from "../scratch/given-trees.ts";

const ROOT = "";
const FOLDER = "40000";
/** Of folders that are remembered from one call to the next. */
const MAX_REMEMBERED_BYTES = 16 * 1024 * 1024;

/** A path as its bytes, and what is there now: null for nothing. */
type ChangedPath = { readonly path: string; readonly file: Omit<NamedObject, "name"> | null };
/** A folder that the commit does not have, and the one that it has there. */
type MadeTree = { readonly oid: string; readonly data: Buffer; readonly before: CommitFolder | null };
type CommitFolder = { readonly oid: string; readonly data: Buffer };

type Place = { file: ChangedPath["file"] | undefined; readonly below: Map<string, Place> };

export class CommitFolders {
  readonly #headSha: string;
  readonly #format: ObjectFormat;
  /** By path. Null: the commit has no such folder. */
  readonly #known = new Map<string, CommitFolder | null>();
  #knownBytes = 0;

  constructor(headSha: string) {
    this.#headSha = headSha;
    this.#format = objectFormatOf(headSha);
  }

  /** Names of the commit's objects in the folders that were read, and theirs. */
  *names(): Generator<string, void, undefined> {
    for (const folder of this.#known.values()) {
      if (folder === null) continue;
      yield folder.oid;
      for (const { oid } of this.#entriesOf(folder)) yield oid;
    }
  }

  /** The commit with the changes: its tree, and the trees that the commit does not have at their paths. */
  async change(
    reading: { readonly git: Git; readonly signal: AbortSignal },
    changes: readonly ChangedPath[],
  ): Promise<{ readonly tree: string; readonly made: readonly MadeTree[] }> {
    const root: Place = { file: undefined, below: new Map() };
    const wanted = new Set([ROOT]);
    for (const { path, file } of changes) {
      let place = root;
      for (const name of path.split("/")) {
        const next: Place = place.below.get(name) ?? { file: undefined, below: new Map() };
        place.below.set(name, next);
        place = next;
      }
      place.file = file;
      for (let at = dirname(path); at !== "." && !wanted.has(at); at = dirname(at)) wanted.add(at);
    }
    await this.#read(reading, wanted);
    const made: MadeTree[] = [];
    const tree = this.#make(ROOT, root, made) ?? this.#keepTree(ROOT, [], made);
    return { tree, made };
  }

  async #read(
    { git, signal }: { git: Git; signal: AbortSignal },
    wanted: ReadonlySet<string>,
  ): Promise<void> {
    if (this.#knownBytes > MAX_REMEMBERED_BYTES) {
      this.#known.clear();
      this.#knownBytes = 0;
    }
    if ([...wanted].every((path) => this.#known.has(path))) return;
    const questions = new ObjectQuestions();
    const asked = [ROOT];
    questions.add(`${this.#headSha}^{tree}`);
    for await (const { oid, type, size, bytes } of askObjects({ git, questions, signal })) {
      const path = asked.shift() ?? ROOT;
      if (type !== "tree") throw new TypeError(`A folder of the commit is ${type}.`);
      const folder = { oid, data: await bytes(size) };
      if (!this.#known.has(path)) this.#knownBytes += size;
      this.#known.set(path, folder);
      for (const { mode, name, oid: below } of this.#entriesOf(folder)) {
        const at = path === ROOT ? name : `${path}/${name}`;
        if (mode !== FOLDER || !wanted.has(at)) continue;
        asked.push(at);
        questions.add(below);
      }
    }
    for (const path of wanted) if (!this.#known.has(path)) this.#known.set(path, null);
  }

  /** Null where nothing is left of the folder. */
  #make(path: string, place: Place, made: MadeTree[]): string | null {
    const folder = this.#known.get(path) ?? null;
    const entries = new Map(
      (folder === null ? [] : this.#entriesOf(folder)).map((entry) => [entry.name, entry]),
    );
    for (const [name, { file, below }] of place.below) {
      const at = path === ROOT ? name : `${path}/${name}`;
      const oid = below.size === 0 ? null : this.#make(at, { file, below }, made);
      if (oid !== null) entries.set(name, { mode: FOLDER, name, oid });
      else if (file !== undefined && file !== null) entries.set(name, { ...file, name });
      // Only a folder goes with what was in it.
      else if (file === null || entries.get(name)?.mode === FOLDER) entries.delete(name);
    }
    return entries.size === 0 ? null : this.#keepTree(path, [...entries.values()], made);
  }

  #keepTree(path: string, entries: readonly NamedObject[], made: MadeTree[]): string {
    const data = encoded(entries);
    const oid = hash(this.#format, Buffer.concat([Buffer.from(objectHeader("tree", data.length)), data]));
    const before = this.#known.get(path) ?? null;
    if (oid !== before?.oid) made.push({ oid, data, before });
    return oid;
  }

  /** With modes as git writes them today. */
  #entriesOf({ data }: CommitFolder): readonly NamedObject[] {
    const oidBytes = this.#headSha.length / 2;
    return namedBy(data, oidBytes).map((entry) => ({ ...entry, mode: modeOf(entry.mode, entry.name) }));
  }
}

/** In git's order: a folder's name counts with "/" at its end. A character is a byte. */
function encoded(entries: readonly NamedObject[]): Buffer {
  const keyOf = ({ mode, name }: NamedObject) => (mode === FOLDER ? `${name}/` : name);
  const sorted = entries.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(({ mode, name, oid }) => [bytesOf(`${mode} ${name}\0`), Buffer.from(oid, "hex")]),
  );
}
