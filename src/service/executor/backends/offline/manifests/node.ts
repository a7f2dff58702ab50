// package.json and deno.json. Pure.

import { type Fields, fieldsOf, parseJsonObject, textEntries, textOf } from "../fields.ts";
import {
  type Command,
  type EntryPoint,
  isPlainName,
  type ManifestReader,
  type ProjectFiles,
  purposeOf,
} from "../manifest.ts";

const lockFiles = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
] as const;

type PackageManager = (typeof lockFiles)[number][1];

export const packageJson: ManifestReader = {
  file: /^package\.json$/,
  needsText: true,
  read(project, text) {
    const fields = parseJsonObject(text);
    const manager = packageManager(fields, project);
    const scripts = textEntries(fields.scripts).filter(([name]) => isPlainName(name));
    return {
      name: textOf(fields, "name"),
      version: textOf(fields, "version"),
      description: textOf(fields, "description"),
      licence: textOf(fields, "license"),
      commands: [
        { purpose: "install", command: installCommand(manager, project) },
        ...scripts.map(([name, detail]): Command => {
          return { purpose: purposeOf(name), command: scriptCommand(manager, name), detail };
        }),
      ],
      entries: entryPoints(fields),
    };
  },
};

export const denoJson: ManifestReader = {
  file: /^deno\.jsonc?$/,
  needsText: true,
  read(_project, text) {
    const fields = parseJsonObject(text);
    const tasks = textEntries(fields.tasks).filter(([name]) => isPlainName(name));
    const exported = textOf(fields, "exports");
    return {
      name: textOf(fields, "name"),
      version: textOf(fields, "version"),
      licence: textOf(fields, "license"),
      commands: tasks.map(([name, detail]) => ({
        purpose: purposeOf(name),
        command: `deno task ${name}`,
        detail,
      })),
      entries: exported === undefined ? [] : [{ kind: "exports", target: exported }],
    };
  },
};

/** What the manifest pins wins over the lock file that lies there. */
function packageManager(fields: Fields, project: ProjectFiles): PackageManager {
  const pinned = textOf(fields, "packageManager")?.split("@")[0];
  const byPin = lockFiles.find(([, manager]) => manager === pinned);
  const byLock = lockFiles.find(([file]) => project.has(file));
  return (byPin ?? byLock)?.[1] ?? "npm";
}

function installCommand(manager: PackageManager, project: ProjectFiles): string {
  if (manager !== "npm") return `${manager} install`;
  return project.firstOf("package-lock.json", "npm-shrinkwrap.json") === undefined ? "npm install" : "npm ci";
}

function scriptCommand(manager: PackageManager, name: string): string {
  if (manager === "yarn") return `yarn ${name}`;
  const isShort = manager !== "bun" && (name === "test" || name === "start");
  return `${manager} ${isShort ? "" : "run "}${name}`;
}

function entryPoints(fields: Fields): EntryPoint[] {
  const entries: EntryPoint[] = [];
  for (const key of ["main", "module", "types", "bin", "exports"]) {
    const target = textOf(fields, key);
    if (target !== undefined) entries.push({ kind: key, target });
  }
  for (const [name, target] of textEntries(fields.bin)) entries.push({ kind: `bin ${name}`, target });
  for (const [name, value] of Object.entries(fieldsOf(fields.exports))) {
    const target = firstTarget(value);
    if (target !== undefined) entries.push({ kind: `exports ${name}`, target });
  }
  return entries;
}

/** Of the conditions of one export, the one that is used by default. */
function firstTarget(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const conditions = fieldsOf(value);
  return textOf(conditions, "default") ?? textOf(conditions, "import") ?? textEntries(conditions)[0]?.[1];
}
