// The folder of an editor's session: files of the disk, and in the place of some what the editor has of them and has not saved. Texts
// are written by the editor, as its own edits; everything else, where nobody sees it, on the disk.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalFileState } from "../workspaces/file-state.ts";
import { blobName, type Contents, LocalFolder } from "../workspaces/local-folder.ts";
import type { Editor } from "./editor.ts";

type Write = Parameters<LocalFolder["write"]>[1];

export class EditorFolder extends LocalFolder {
  readonly #editor: Editor;
  readonly #isIgnored: (path: string) => boolean;
  /** Unsaved texts by path. */
  readonly #unsaved = new Map<string, Buffer>();
  /** Texts that the editor writes, by path. */
  readonly #texts = new Map<string, string>();

  constructor(
    root: string,
    {
      editor,
      excluded,
      isIgnored,
    }: {
      readonly editor: Editor;
      readonly excluded: readonly string[];
      readonly isIgnored: (path: string) => boolean;
    },
  ) {
    super(root, excluded);
    this.#editor = editor;
    this.#isIgnored = isIgnored;
  }

  override isExcluded(path: string): boolean {
    return super.isExcluded(path) || this.#isIgnored(path);
  }

  /** Asks the editor for what it has not saved of these files. Whether anything is other than it was known. */
  async readUnsaved(paths: readonly string[]): Promise<boolean> {
    let isOther = false;
    for (const path of paths) {
      const before = this.#unsaved.get(path);
      const now = await this.#unsavedOf(path);
      if (now === null) this.#unsaved.delete(path);
      else this.#unsaved.set(path, now);
      isOther ||= now === null ? before !== undefined : before?.equals(now) !== true;
    }
    return isOther;
  }

  /** Null: it is as on the disk, or the editor has nothing of it. */
  async #unsavedOf(path: string): Promise<Buffer | null> {
    const state = await super.stateOf(path);
    // A link, and a file that is not there, is nothing that somebody edits.
    if (state === null || state.mode === "120000" || this.isExcluded(path)) return null;
    const text = await this.#editor.readText(join(this.root, path));
    if (text === null) return null;
    const saved = await readFile(join(this.root, path));
    // Some editors tell every line's end as LF, whatever the file has.
    if (inLines(saved.toString("utf8")) === inLines(text)) return null;
    return Buffer.from(text);
  }

  /** Has the editor write these texts, where it can. */
  useEditorFor(texts: ReadonlyMap<string, string>): void {
    this.#texts.clear();
    for (const [path, text] of texts) this.#texts.set(path, text);
  }

  /** What is there now, for a person to compare; null where it is no text, or nothing. */
  async textOf(path: string): Promise<string | null> {
    const unsaved = this.#unsaved.get(path);
    const bytes = unsaved ?? (await readFile(join(this.root, path)).catch(() => null));
    return bytes === null ? null : decodeText(bytes);
  }

  override async stateOf(path: string): Promise<LocalFileState | null> {
    const state = await super.stateOf(path);
    const unsaved = this.#unsaved.get(path);
    return state === null || unsaved === undefined ? state : { ...state, oid: blobName(unsaved) };
  }

  override async contents(path: string): Promise<Contents> {
    const unsaved = this.#unsaved.get(path);
    if (unsaved === undefined) return await super.contents(path);
    return { size: unsaved.length, open: () => oneChunk(unsaved) };
  }

  override async write(path: string, file: Write): Promise<void> {
    const { from, to } = file;
    const text = this.#texts.get(path);
    const { writeText } = this.#editor;
    // An editor makes files that are not executable, and knows no links.
    const isEdit = to.mode === (from?.mode ?? "100644") && to.mode !== "120000";
    const isWhat = text !== undefined && blobName(Buffer.from(text)) === to.oid;
    if (writeText === null || text === undefined || !isEdit || !isWhat) return await super.write(path, file);
    await this.makeWay(path);
    await this.requireState(path, from);
    await writeText(join(this.root, path), text);
    this.#unsaved.delete(path);
  }
}

/** Null where the bytes are no text in UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString("utf8");
  return text.includes("\0") || !Buffer.from(text).equals(bytes) ? null : text;
}

function inLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

async function* oneChunk(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}
