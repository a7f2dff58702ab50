// The keys that "agent-service login" got, by the address of their service: in the configuration folder of the person, for
// that person alone.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { jobEnvironment } from "../ci/environment.ts";

const FILE = "keys.json";

const storedKeySchema = z.object({ key: z.string(), account_id: z.string() });
type StoredKey = z.infer<typeof storedKeySchema>;
const storedKeysSchema = z.record(z.string(), storedKeySchema);
type StoredKeys = Readonly<Record<string, StoredKey>>;

/** The file of the stored keys, by the custom of the operating system. */
export function storedKeysFile(): string {
  const { APPDATA, XDG_CONFIG_HOME } = jobEnvironment;
  switch (process.platform) {
    case "win32":
      return join(APPDATA ?? join(homedir(), "AppData", "Roaming"), "agent-service", FILE);
    case "darwin":
      return join(homedir(), "Library", "Application Support", "agent-service", FILE);
    default:
      return join(XDG_CONFIG_HOME || join(homedir(), ".config"), "agent-service", FILE);
  }
}

/** The key of a service. Null where nobody has signed in to it, or the file cannot be read. */
export function findStoredKey(url: string): StoredKey | null {
  return readAll()[placeOf(url)] ?? null;
}

export function keepStoredKey(url: string, key: StoredKey): void {
  writeAll({ ...readAll(), [placeOf(url)]: key });
}

export function forgetStoredKey(url: string): void {
  const { [placeOf(url)]: _, ...rest } = readAll();
  writeAll(rest);
}

function placeOf(url: string): string {
  return url.replace(/\/$/, "");
}

function readAll(): StoredKeys {
  try {
    return storedKeysSchema.parse(JSON.parse(readFileSync(storedKeysFile(), "utf8")));
  } catch {
    return {};
  }
}

/** Made for its person alone before anything is in it, then put in the place of the old file. */
function writeAll(keys: StoredKeys): void {
  const file = storedKeysFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.${process.pid}`;
  writeFileSync(part, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  renameSync(part, file);
}
