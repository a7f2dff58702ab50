// The licences of the packages that went into the files of a folder.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const NAMES = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "license"];

/** The licence of each package, in the packages' order. Modules are paths in the project. */
export function licenceTexts(root: string, modules: Iterable<string>): string {
  const folders = new Set<string>();
  for (const path of modules) {
    const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
    if (folder !== undefined) folders.add(folder);
  }
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${licenceOf(join(root, folder)).trim()}\n`;
  });
  return [...new Set(texts)].join(`\n${"-".repeat(80)}\n\n`);
}

function licenceOf(folder: string): string {
  for (const name of NAMES) {
    try {
      return readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n");
    } catch {
      // Not under this name.
    }
  }
  return "The package holds no licence text.";
}
