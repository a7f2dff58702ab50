// The built Action and the client of the last commit whose clients know no parked runs, out of the files that keep.ts wrote.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import * as z from "zod/mini";

const keptSchema = z.record(z.string(), z.string());

export type OlderAction = {
  /** The folder of the Action. */
  readonly action: string;
  /** The module of the client, which knows less than the one of now. */
  load(): Promise<typeof import("../../../src/client/client.ts")>;
  /** Removes it. */
  remove(): void;
};

export function olderAction(): OlderAction {
  const action = mkdtempSync(join(tmpdir(), "older-action-"));
  const kept = brotliDecompressSync(readFileSync(join(import.meta.dirname, "files.json.br")));
  for (const [path, text] of Object.entries(keptSchema.parse(JSON.parse(kept.toString())))) {
    mkdirSync(dirname(join(action, path)), { recursive: true });
    writeFileSync(join(action, path), text);
  }
  return {
    action,
    load: async () => await import(pathToFileURL(join(action, "client.mjs")).href),
    remove: () => rmSync(action, { recursive: true, force: true }),
  };
}
