// The command with the service, as npm/ has them, and the service inside a job, as dist/ has it: split by rolldown, so that each class is
// there once. What is imported dynamically is loaded from a file of its own.
// Why: docs/decisions/135-the-bundler-splits.md

import { basename, join, relative } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { contractInService } from "../contract-in-bundles.ts";
import type { BuiltFile, BuiltFiles } from "./built-file.ts";
import { builtInModules } from "./built-in-modules.ts";
import { sharedFiles } from "./parts.ts";
import { serviceStandIns } from "./stand-ins.ts";

const root = join(import.meta.dirname, "../..");
/** What the Action loads late, so that its first request is soon; and libraries that look for the system's own variant. */
const LOADED_WITH_IMPORTER = /\/src\/(ci|client|contract|job)\/|\/node_modules\/@opentelemetry\//;
/** Of a service inside a job: nobody can configure or reach it there. */
const NOT_IN_JOBS = /\/(postgres|s3|metrics|traces|workspaces|connections)\.ts$/;

/** `cli.mjs`, and what it loads. */
export async function buildCommand(): Promise<BuiltFiles> {
  return await split({ entry: "src/cli/main.ts", name: "cli", leftOut: null });
}

/** `service.mjs`, and what it loads. */
export async function buildEmbedded(): Promise<BuiltFiles> {
  return await split({ entry: "src/service/embedded/embedded.ts", name: "service", leftOut: NOT_IN_JOBS });
}

type SplitOptions = {
  readonly entry: string;
  readonly name: string;
  /** What is imported dynamically, and is not there. */
  readonly leftOut: RegExp | null;
};

async function split({ entry, name, leftOut }: SplitOptions): Promise<BuiltFiles> {
  let files = new Map<string, string>();
  await using bundle = await rolldown({
    cwd: root,
    input: { [name]: entry },
    platform: "node",
    preserveEntrySignatures: "allow-extension",
    transform: { target: "node24" },
    // pg asks for its native sibling and does without it.
    external: ["pg-native"],
    plugins: [
      ...(leftOut === null ? [] : [leavingOut(leftOut)]),
      contractInService(),
      loadedWithImporter(),
      serviceStandIns(root),
      builtInModules(),
      {
        name: "parts",
        buildEnd() {
          files = sharedFiles(this, { entry: join(root, entry), sourceOf });
        },
      },
    ],
    // A framework of OAuth's library names its deprecated calls with `eval`.
    checks: { eval: false, bundlerTimings: false },
    onLog: (_level, log) => {
      throw new Error(log.message);
    },
  });
  const { output } = await bundle.generate({
    format: "esm",
    // oidc-provider stores what it keeps under the names of its classes.
    keepNames: true,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
    entryFileNames: "[name].mjs",
    chunkFileNames: ({ facadeModuleId }) =>
      sourceOf(facadeModuleId ?? "").startsWith("src/cli/") ? "commands/[name].mjs" : "[name].mjs",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => files.get(id) ?? null, debugName: "shared" }],
    },
  });
  const chunks = output.filter((file): file is OutputChunk => file.type === "chunk");
  return new Map(chunks.map((chunk) => [chunk.fileName, builtFile(chunk)]));
}

function builtFile({ code, imports, moduleIds }: OutputChunk): BuiltFile {
  return {
    contents: code,
    imports: imports.filter((name) => name.endsWith(".mjs")),
    modules: moduleIds.map(sourceOf),
  };
}

/** A path in the project. */
function sourceOf(id: string): string {
  return relative(root, id).replaceAll("\\", "/");
}

function leavingOut(filter: RegExp): Plugin {
  return {
    name: "leaving-out",
    resolveId: {
      filter: { id: filter },
      handler: (specifier, _importer, { kind }) =>
        kind === "dynamic-import" ? { id: `./${basename(specifier, ".ts")}.mjs`, external: true } : null,
    },
  };
}

/** Makes a dynamic import a static one. */
function loadedWithImporter(): Plugin {
  return {
    name: "loaded-with-importer",
    transform: {
      filter: { id: LOADED_WITH_IMPORTER, code: /\bimport\(/ },
      handler: (code) => {
        const imports: string[] = [];
        const changed = code.replaceAll(/\bimport\((["']\.[^"']+["'])\)/g, (_all, specifier) => {
          imports.push(`import * as loaded${imports.length} from ${specifier};`);
          return `Promise.resolve(loaded${imports.length - 1})`;
        });
        return [...imports, changed].join("\n");
      },
    },
  };
}
