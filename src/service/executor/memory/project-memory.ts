// The memory of a repository for an agent: notes of the root folder at once, notes of a folder and rules for files when the
// first of their files is touched, skills when they are asked for. All of it from the commit that writers agreed to.
// Why: docs/decisions/052-prompt-and-memory.md

import { matchesGlob } from "../../../base/glob.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import { type Checkout, CheckoutError } from "../../core/checkouts/checkout.ts";
import { readFrontMatter } from "./front-matter.ts";
import { type MemoryFile, memoryFileOf } from "./memory-files.ts";

const MAIN_FILE = "AGENTS.md";
/** Of all files that are told at once. */
const MAX_ROOT_CHARS = 24_000;
/** Of one file that is told later, and of all of them. */
const MAX_NOTE_CHARS = 8_000;
const MAX_NOTES_CHARS = 48_000;
const MAX_SKILL_CHARS = 32_000;
const MAX_FILES = 1_000;
const MAX_RULES = 50;
const MAX_SKILLS = 40;
const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 300;

type Skill = { readonly name: string; readonly description: string; readonly path: string };

type Note = {
  readonly path: string;
  readonly concerns: (touched: string) => boolean;
  /** Null: it is still to be read. */
  readonly text: string | null;
};

type Opened = {
  readonly checkout: Pick<Checkout, "trustedText">;
  readonly rootTexts: readonly NamedText[];
  readonly notes: readonly Note[];
  readonly skills: readonly Skill[];
};

type NamedText = { readonly path: string; readonly text: string };

export class ProjectMemory {
  /** In the order in which they are told. */
  readonly rootTexts: readonly NamedText[];
  readonly skills: readonly Skill[];
  readonly #checkout: Opened["checkout"];
  readonly #untold: Set<Note>;
  #toldChars = 0;
  readonly #told: string[] = [];

  private constructor({ checkout, rootTexts, notes, skills }: Opened) {
    this.rootTexts = rootTexts;
    this.skills = skills;
    this.#checkout = checkout;
    this.#untold = new Set(notes);
  }

  /** A repository whose files cannot be listed in time has none. */
  static async open(checkout: Checkout): Promise<ProjectMemory> {
    const found = await findFiles(checkout);
    const ruled = await readRules(checkout, ofKind(found, "rule"));
    const folders = ofKind(found, "folder").map(
      ({ path, folder }): Note => ({
        path,
        concerns: (touched) => touched.startsWith(`${folder}/`),
        text: null,
      }),
    );
    return new ProjectMemory({
      checkout,
      rootTexts: bounded([...(await readRoot(checkout, ofKind(found, "root"))), ...ruled.always]),
      notes: [...folders, ...ruled.notes],
      skills: await readSkills(checkout, ofKind(found, "skill")),
    });
  }

  /** Notes to be told with the first use of this file, the outermost folder first. Null for nothing. Each note is told once. */
  async noteFor(touched: string): Promise<string | null> {
    const texts: string[] = [];
    for (const note of [...this.#untold].filter(({ concerns }) => concerns(touched))) {
      this.#untold.delete(note);
      const text = (note.text ?? (await this.#checkout.trustedText(note.path)) ?? "").trim();
      const room = Math.min(MAX_NOTE_CHARS, MAX_NOTES_CHARS - this.#toldChars);
      if (text === "" || room <= 0) continue;
      const shown = cut(text, room);
      this.#toldChars += shown.length;
      texts.push(
        `[${singleLine(note.path, 200)} is a note of this repository about such files. It says:]\n${shown}`,
      );
    }
    this.#told.push(...texts);
    return texts.length === 0 ? null : texts.join("\n\n");
  }

  /** Notes that were told with uses of files so far, the latest first. */
  get toldNotes(): readonly string[] {
    return this.#told.toReversed();
  }

  /** A skill's text, without its head. Null where there is none of that name. */
  async skillText(name: string): Promise<string | null> {
    const skill = this.skills.find((one) => one.name === name);
    const text = skill === undefined ? null : await this.#checkout.trustedText(skill.path);
    return text === null ? null : cut(readFrontMatter(text).body.trim(), MAX_SKILL_CHARS);
  }
}

async function findFiles(checkout: Checkout): Promise<readonly MemoryFile[]> {
  try {
    const paths = await checkout.trustedPaths((path) => memoryFileOf(path) !== null);
    return paths.slice(0, MAX_FILES).flatMap((path) => memoryFileOf(path) ?? []);
  } catch (cause) {
    if (cause instanceof CheckoutError) return [];
    throw cause;
  }
}

function ofKind<Kind extends MemoryFile["kind"]>(
  files: readonly MemoryFile[],
  kind: Kind,
): readonly Extract<MemoryFile, { kind: Kind }>[] {
  return files.filter((file): file is Extract<MemoryFile, { kind: Kind }> => file.kind === kind);
}

/** Two files may say the same, and one may only point to the other: each text is told once. */
async function readRoot(
  checkout: Checkout,
  files: readonly Extract<MemoryFile, { kind: "root" }>[],
): Promise<readonly NamedText[]> {
  const others = files.filter(({ path }) => path !== MAIN_FILE).toSorted((a, b) => a.order - b.order);
  // However large the main file is, its beginning is told.
  const texts = [{ path: MAIN_FILE, text: ((await checkout.instructions()) ?? "").trim() }];
  for (const { path } of others)
    texts.push({ path, text: ((await checkout.trustedText(path)) ?? "").trim() });
  const told: NamedText[] = [];
  for (const { path, text } of texts) {
    const isKnown = told.some((other) => text === other.text || text === `@${other.path}`);
    if (text !== "" && !isKnown) told.push({ path, text });
  }
  return told;
}

/** Those for all files, and those for some. One that names no files is for people who ask for it. */
async function readRules(
  checkout: Checkout,
  files: readonly Extract<MemoryFile, { kind: "rule" }>[],
): Promise<{ readonly always: readonly NamedText[]; readonly notes: readonly Note[] }> {
  const always: NamedText[] = [];
  const notes: Note[] = [];
  for (const { path } of files.slice(0, MAX_RULES)) {
    const { fields, body } = readFrontMatter((await checkout.trustedText(path)) ?? "");
    const patterns = (fields.get("applyTo") ?? "").split(",").map((pattern) => pattern.trim());
    const wanted = patterns.filter((pattern) => pattern !== "");
    const text = body.trim();
    if (wanted.some((pattern) => pattern === "**" || pattern === "**/*")) always.push({ path, text });
    else if (wanted.length > 0)
      notes.push({ path, text, concerns: (touched) => wanted.some((one) => matchesGlob(touched, one)) });
  }
  return { always, notes };
}

async function readSkills(
  checkout: Checkout,
  files: readonly Extract<MemoryFile, { kind: "skill" }>[],
): Promise<readonly Skill[]> {
  const skills = new Map<string, Skill>();
  for (const { path, name: folder } of files.slice(0, MAX_SKILLS)) {
    const { fields } = readFrontMatter((await checkout.trustedText(path)) ?? "");
    const name = singleLine(fields.get("name") ?? folder, MAX_NAME_CHARS);
    const description = singleLine(fields.get("description") ?? "", MAX_DESCRIPTION_CHARS);
    if (name !== "" && !skills.has(name)) skills.set(name, { name, description, path });
  }
  return [...skills.values()];
}

function bounded(texts: readonly NamedText[]): readonly NamedText[] {
  let room = MAX_ROOT_CHARS;
  return texts.flatMap(({ path, text }) => {
    if (room <= 0) return [];
    const shown = cut(text, room);
    room -= shown.length;
    return [{ path, text: shown }];
  });
}

function cut(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}\n[cut here]` : text;
}
