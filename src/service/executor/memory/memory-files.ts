// Files of a repository that speak to an agent that works in it. Pure. By the documentation of AGENTS.md, Claude Code, GitHub
// Copilot and the Agent Skills format; looked up on 2026-11-22.

/** Of the root folder, in the order in which they are told. */
const rootFiles = [
  "AGENTS.md",
  "CLAUDE.md",
  ".claude/CLAUDE.md",
  "GEMINI.md",
  ".github/copilot-instructions.md",
] as const;
const folderFiles: ReadonlySet<string> = new Set(["AGENTS.md", "CLAUDE.md"]);
const RULES_FOLDER = ".github/instructions/";
const RULES_END = ".instructions.md";
const skillFolders = [".claude/skills", ".agents/skills", ".github/skills"];
const SKILL_FILE = "SKILL.md";

export type MemoryFile =
  | { readonly kind: "root"; readonly path: string; readonly order: number }
  /** For whoever reads or changes a file in `folder`. */
  | { readonly kind: "folder"; readonly path: string; readonly folder: string }
  /** For whoever reads or changes a file that its head names. */
  | { readonly kind: "rule"; readonly path: string }
  | { readonly kind: "skill"; readonly path: string; readonly name: string };

/** Null for a file that is none of them. */
export function memoryFileOf(path: string): MemoryFile | null {
  const order = rootFiles.findIndex((name) => name === path);
  if (order >= 0) return { kind: "root", path, order };
  if (path.startsWith(RULES_FOLDER)) return path.endsWith(RULES_END) ? { kind: "rule", path } : null;
  const segments = path.split("/");
  const file = segments.at(-1) ?? "";
  const skills = segments.slice(0, 2).join("/");
  if (segments.length === 4 && file === SKILL_FILE && skillFolders.includes(skills)) {
    return { kind: "skill", path, name: segments[2] ?? "" };
  }
  return folderFiles.has(file) ? { kind: "folder", path, folder: segments.slice(0, -1).join("/") } : null;
}

/** A file that an agent reads by itself, or that belongs to a skill. */
export function isInstructionFile(path: string): boolean {
  return memoryFileOf(path) !== null || skillFolders.some((folder) => path.startsWith(`${folder}/`));
}
