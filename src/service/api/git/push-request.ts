// The commands of a push, which come before its pack: gitprotocol-pack(5), "Reference Update Request".

import { PacketError, type PacketReader } from "../../../base/git/packet-lines.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import type { RefCommand } from "../../core/workspaces/git/take-push.ts";

const NOTHING = "0".repeat(40);
const MAX_COMMANDS = 200;
const MAX_REF_CHARS = 1_000;
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) (refs\/[^\s\0]+)$/;
const SHALLOW = /^shallow [0-9a-f]{40}$/;

export type PushCommands = {
  readonly commands: readonly RefCommand[];
  readonly isAtomic: boolean;
  /** Whether the client reads what became of each ref, and whether on bands. */
  readonly wantsReport: boolean;
  readonly hasBands: boolean;
};

/** Null for a request without commands: git asks by it whether a large one would be taken. Throws a PacketError. */
export async function readCommands(reader: PacketReader): Promise<PushCommands | null> {
  const commands: RefCommand[] = [];
  let capabilities: ReadonlySet<string> = new Set();
  for (;;) {
    const packet = await reader.next();
    if (packet === null && commands.length === 0) return null;
    if (packet === null || packet.kind === "delimiter") throw new PacketError("The commands are cut off.");
    if (packet.kind === "flush") break;
    const text = packet.data.toString("utf8").replace(/\n$/, "");
    const nul = text.indexOf("\0");
    const line = nul < 0 ? text : text.slice(0, nul);
    // They are behind the first one.
    if (nul >= 0) capabilities = new Set(text.slice(nul + 1).split(" "));
    // What lies behind the end of a shallow clone's history is stored here.
    if (SHALLOW.test(line)) continue;
    commands.push(commandOf(line));
    if (commands.length > MAX_COMMANDS)
      throw new PacketError(`A push may name ${MAX_COMMANDS} branches at most.`);
  }
  if (commands.length === 0) return null;
  return {
    commands,
    isAtomic: capabilities.has("atomic"),
    wantsReport: capabilities.has("report-status"),
    hasBands: capabilities.has("side-band-64k"),
  };
}

/** Throws a PacketError where the line is none. */
export function commandOf(line: string): RefCommand {
  const [, from = "", to = "", ref = ""] = COMMAND.exec(line) ?? [];
  if (ref === "" || ref.length > MAX_REF_CHARS)
    throw new PacketError(`A push has a command that is none: "${singleLine(line, 100)}".`);
  return { ref, from: from === NOTHING ? null : from, to: to === NOTHING ? null : to };
}
