// Writes the reference pages of docs/ from the declarations that they describe: commands, settings, inputs and outputs,
// reasons, routes and CI events; the reference of the client library, which /docs of a service shows; and three parts of pages that are written by hand: the sizes of dist/ in the comparison, the
// table of tools, and the fields of an attested commit.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { apiPage } from "./docs/api-page.ts";
import { withBundleSizes } from "./docs/bundle-sizes.ts";
import { ciEventsPage } from "./docs/ci-events-page.ts";
import { clientLibrary } from "./docs/client-library.ts";
import { commandPage } from "./docs/command-page.ts";
import { conclusionsPage } from "./docs/conclusions-page.ts";
import { inputsPage } from "./docs/inputs-page.ts";
import { withPredicateRows } from "./docs/predicate-rows.ts";
import { settingsPage } from "./docs/settings-page.ts";
import { withToolRows } from "./docs/tool-rows.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const NOTE = "<!-- Written by `npm run docs`. Do not edit. -->";

const COMPARISON = "docs/comparison.md";
const ATTESTED_COMMITS = "docs/attested-commits.md";
const MCP = "docs/mcp.md";
const CLIENT_LIBRARY = "src/service/api/http/reference/client-library.json";

/** Each generated page by its path, as it should be. */
export async function generatedPages(): Promise<Readonly<Record<string, string>>> {
  const pages = {
    "docs/api.md": apiPage(),
    "docs/command.md": await commandPage(),
    "docs/conclusions.md": conclusionsPage(),
    "docs/ci/events.md": ciEventsPage(),
    "docs/inputs.md": inputsPage(),
    "docs/self-hosting/settings.md": settingsPage(),
  };
  const whole = Object.entries(pages).map(([path, text]) => [path, `${NOTE}\n\n${text}`]);
  return {
    ...Object.fromEntries(whole),
    [ATTESTED_COMMITS]: withPredicateRows(readPage(ATTESTED_COMMITS)),
    [COMPARISON]: withBundleSizes(readPage(COMPARISON)),
    [CLIENT_LIBRARY]: `${JSON.stringify(await clientLibrary(), null, 1)}\n`,
    [MCP]: withToolRows(readPage(MCP)),
  };
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), "utf8").replaceAll("\r\n", "\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(await generatedPages())) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
}
