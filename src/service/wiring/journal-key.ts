// The key of a single process that seals the journals of its runs: a file of its data folder, which a backup does not carry.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import { SEALING_KEY_BYTES } from "../../base/sealed-text.ts";

const KEY_FILE = "journal.key";

/** Makes the key where there is none, or none of its length: what another one has sealed cannot be read then. */
export function journalKeyIn(folder: string, { random, log }: { random: Random; log: Logger }): Uint8Array {
  const path = join(folder, KEY_FILE);
  const kept = readKey(path);
  if (kept !== null && kept.length === SEALING_KEY_BYTES) return kept;
  if (kept !== null) log.warn({ path }, "the key of journals is damaged: runs at work end as interrupted");
  const key = random.bytes(SEALING_KEY_BYTES);
  writeFileSync(path, key, { mode: 0o600 });
  return key;
}

function readKey(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return null;
    throw cause;
  }
}
