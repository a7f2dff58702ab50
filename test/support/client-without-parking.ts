// The client, the command and the Action of the last commit whose clients know no parked runs, out of the project's own history. The
// Action is the bundle that is committed there; the others are its sources, with the packages that are installed now.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LAST_WITHOUT_PARKING } from "../../scripts/test-needs.ts";

const PROJECT = join(import.meta.dirname, "../..");
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024;

export type EarlierClient = {
  /** The folder of the Action. */
  readonly action: string;
  /** The entry of the command. */
  readonly command: string;
  /** The module of the client, which knows less than the one of now. */
  load(): Promise<typeof import("../../src/client/client.ts")>;
  /** Removes it. */
  remove(): void;
};

/** Needs the history of the project. */
export function earlierClient(): EarlierClient {
  const folder = mkdtempSync(join(tmpdir(), "earlier-client-"));
  const parts = ["src", "dist", "action.yml", "package.json"];
  const archive = execFileSync("git", ["archive", LAST_WITHOUT_PARKING, ...parts], {
    cwd: PROJECT,
    maxBuffer: MAX_ARCHIVE_BYTES,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
  return {
    action: folder,
    command: join(folder, "src/cli/main.ts"),
    load: async () => await import(pathToFileURL(join(folder, "src/client/client.ts")).href),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
