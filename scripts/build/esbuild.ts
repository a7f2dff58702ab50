// Files of one entry each, by esbuild.

import { join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { contractInBundles } from "../contract-in-bundles.ts";
import type { BuiltFile, BuiltFiles } from "./built-file.ts";

export const root = join(import.meta.dirname, "../..");

export type Bundle = {
  /** A path in the project, or the name of a module. */
  readonly entry: string;
  /** In its folder. */
  readonly name: string;
  readonly options: BuildOptions;
};

/** What all bundles have. */
export const shared: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  // A stand-in that lacks a function would fail at run time.
  logOverride: { "import-is-undefined": "error" },
  sourcemap: false,
  treeShaking: true,
};

export async function buildBundles(bundles: readonly Bundle[]): Promise<BuiltFiles> {
  const files = new Map<string, BuiltFile>();
  for (const { entry, name, options } of bundles) {
    const { metafile, outputFiles } = await build({
      ...options,
      plugins: [contractInBundles(), ...(options.plugins ?? [])],
      entryPoints: [entry],
      outfile: name,
      metafile: true,
      write: false,
    });
    // What nothing uses is read, and left out.
    const modules = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    );
    for (const { contents } of outputFiles) files.set(name, { contents, modules, imports: [] });
  }
  return files;
}

/** Leaves what is imported dynamically in its own file: names of files by what they are built from. */
export function besides(names: Readonly<Record<string, string>>): Plugin {
  return {
    name: "besides",
    setup: (builder) => {
      builder.onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import") return null;
        const name = names[sourceOf(path, resolveDir)];
        return name === undefined ? null : { path: `./${name}`, external: true };
      });
    },
  };
}

/** Puts code in the place of modules, by their names as the importers write them. */
export function standIns(
  codes: Readonly<Record<string, string>>,
  { importers }: { readonly importers: RegExp },
): Plugin {
  const namespace = "stand-ins";
  return {
    name: namespace,
    setup: (builder) => {
      builder.onResolve({ filter: /.*/ }, ({ path, importer }) =>
        path in codes && importers.test(importer.replaceAll("\\", "/")) ? { path, namespace } : null,
      );
      builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: codes[path] ?? "" }));
    },
  };
}

/** The path in the project of what a source imports; a module's name as it is. */
export function sourceOf(path: string, resolveDir: string): string {
  return path.startsWith(".") ? relative(root, join(resolveDir, path)).replaceAll("\\", "/") : path;
}
