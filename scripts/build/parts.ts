// Which file holds a module that several parts of a program need. A part is the entry, or what is imported dynamically.
// Why: docs/decisions/135-the-bundler-splits.md, docs/decisions/080-serve-is-a-bundle-of-its-own.md

import { basename, isAbsolute } from "node:path";
import type { PluginContext } from "rolldown";

/** Less code than this, before it is made small, is no file of its own. */
const SMALL_CHARS = 40_000;
const BESIDE = "beside";

/** What a part is for: its own name, or that of all parts which load together. */
type Kind = string;

type Module = {
  readonly chars: number;
  /** By id. */
  readonly imports: readonly string[];
  readonly parts: readonly string[];
};

type Program = {
  /** The id of the entry. */
  readonly entry: string;
  /** Shortens an id to a path in the project. */
  readonly sourceOf: (id: string) => string;
};

/** Names of files by ids of modules. A module that is not named is in the file of the only part that needs it. */
export function sharedFiles(context: PluginContext, program: Program): Map<string, string> {
  const modules = modulesOf(context);
  const partsOf = reach(modules, program.entry);
  const kindOf = kinds(partsOf, program);
  const shared = [...partsOf].filter(([, parts]) => parts.size > 1);
  const groups = Map.groupBy(shared, ([, parts]) => [...new Set([...parts].map(kindOf))].sort().join(" "));
  const named = [...groups].flatMap(([found, group]) => {
    const chars = group.reduce((sum, [id]) => sum + (modules.get(id)?.chars ?? 0), 0);
    const name = fileFor(found.split(" "), chars < SMALL_CHARS);
    return name === null ? [] : group.map(([id]) => [id, name] as const);
  });
  return withoutCycles(new Map(named), modules);
}

/**
 * What is small and is needed by many parts is in one file with what is small and is needed by few: a large file between the two would
 * import that file and be imported by it. They become one.
 */
function withoutCycles(
  files: Map<string, string>,
  modules: ReadonlyMap<string, Module>,
): Map<string, string> {
  for (;;) {
    const loads = loadedFiles(files, modules);
    const mutual = [...loads.keys()].flatMap((name) =>
      [...(loads.get(name) ?? [])].flatMap((other) =>
        name !== other && loads.get(other)?.has(name) === true ? [{ name, other }] : [],
      ),
    );
    const cycle = mutual.find(({ other }) => other.startsWith(BESIDE)) ?? mutual[0];
    if (cycle === undefined) return files;
    for (const [id, name] of files) if (name === cycle.name) files.set(id, cycle.other);
  }
}

/** The files that each file loads, directly or not. */
function loadedFiles(
  files: ReadonlyMap<string, string>,
  modules: ReadonlyMap<string, Module>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const direct = new Map<string, Set<string>>();
  for (const [id, name] of files) {
    const found = direct.get(name) ?? new Set();
    for (const imported of modules.get(id)?.imports ?? []) {
      const other = files.get(imported);
      if (other !== undefined && other !== name) found.add(other);
    }
    direct.set(name, found);
  }
  return new Map(
    [...direct].map(([name, imports]) => {
      // It grows while it is walked.
      const all = new Set(imports);
      for (const other of all) for (const next of direct.get(other) ?? []) all.add(next);
      return [name, all];
    }),
  );
}

/**
 * The file of what parts of these kinds need. A file imports only files whose modules even more parts need, so that nothing loads what it
 * does not need.
 */
function fileFor(kinds: readonly Kind[], isSmall: boolean): string | null {
  // Beside the entry itself, which every part has loaded.
  if (kinds.includes("entry")) return null;
  if (kinds.includes("program")) return "shared";
  const isLight = kinds.includes("commands");
  if (kinds.includes("serve")) return isLight ? "shared" : "service";
  if (kinds.every((kind) => kind === "commands" || kind === "operator"))
    return isLight ? "commands" : "operator";
  if (!isSmall) return kinds.join("-");
  return isLight ? BESIDE : `${BESIDE}-service`;
}

/** The wires of models are one kind: a run loads one of them. */
const WIRE = /^src\/service\/executor\/backends\/model\/wires\//;

/** Commands are one kind, and those that open the store are another: they load the service. */
function kinds(
  partsOf: ReadonlyMap<string, ReadonlySet<string>>,
  { entry, sourceOf }: Program,
): (part: string) => Kind {
  const opensStore = new Set(
    [...partsOf].flatMap(([id, parts]) => (sourceOf(id).startsWith("src/service/") ? [...parts] : [])),
  );
  return (part) => {
    if (part === entry) return "entry";
    if (WIRE.test(sourceOf(part))) return "wires";
    if (!/^src\/cli\/(?!program\.|serve\.)/.test(sourceOf(part))) return basename(part, ".ts");
    return opensStore.has(part) ? "operator" : "commands";
  };
}

function modulesOf(context: PluginContext): Map<string, Module> {
  const ids = [...context.getModuleIds()].filter((id) => isAbsolute(id) || id.startsWith("\0"));
  return new Map(
    ids.map((id) => {
      const found = context.getModuleInfo(id);
      const { importedIds: imports = [], dynamicallyImportedIds: parts = [], code } = found ?? {};
      return [id, { chars: code?.length ?? 0, imports, parts }];
    }),
  );
}

/** The parts that need each module. */
function reach(modules: ReadonlyMap<string, Module>, entry: string): Map<string, ReadonlySet<string>> {
  const partsOf = new Map<string, Set<string>>();
  // Both sets grow while they are walked.
  const parts = new Set([entry]);
  for (const part of parts) {
    const found = new Set([part]);
    for (const id of found) {
      const module = modules.get(id);
      if (module === undefined) continue;
      partsOf.set(id, (partsOf.get(id) ?? new Set()).add(part));
      for (const imported of module.imports) found.add(imported);
      for (const imported of module.parts) parts.add(imported);
    }
  }
  return partsOf;
}
