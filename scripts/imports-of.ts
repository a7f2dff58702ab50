// What a file of TypeScript imports, as its text says it.

import { posix } from "node:path";

/** Static, dynamic and re-exporting imports, types included. */
export function importsOf(source: string): string[] {
  const code = source.replace(/^\s*(\/\/|\*|\/\*\*).*$/gm, "");
  const forms = [
    /^\s*(?:import|export)\b[^"';]*?\bfrom\s+["']([^"']+)["']/gm,
    /^\s*import\s+["']([^"']+)["']/gm,
    /\bimport\(\s*["']([^"']+)["']\s*\)/g,
    /\brequire\(\s*["']([^"']+)["']\s*\)/g,
  ];
  return forms.flatMap((form) => [...code.matchAll(form)].map(([, specifier]) => specifier ?? ""));
}

/** The path of an imported file, or the name of a package. */
export function resolve(from: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.normalize(posix.join(posix.dirname(from), specifier)) : specifier;
}
