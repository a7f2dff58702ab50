// The answer to a push of git's client: what became of each ref, and lines that it prints behind "remote:". gitprotocol-pack(5),
// "Report Status". Pure.

import { bandLines, FLUSH, packetLine } from "../../../base/git/packet-lines.ts";
import { singleLine } from "../../../base/untrusted-text.ts";
import type { GitRef } from "../../core/checkouts/git-service.ts";
import type { PushedRef, PushFault } from "../../core/workspaces/git/take-push.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import type { PushCommands } from "./push-request.ts";

const CAPABILITIES =
  "report-status delete-refs side-band-64k quiet atomic ofs-delta object-format=sha1 agent=agent-service";
const NOTHING = "0".repeat(40);
const MAX_REASON_CHARS = 1_000;

/** What there is to push to. */
export function pushAdvertisement(refs: readonly GitRef[]): Buffer {
  const sorted = refs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const named = sorted.length > 0 ? sorted : [{ name: "capabilities^{}", oid: NOTHING }];
  const lines = named.map(({ name, oid }, at) =>
    packetLine(`${oid} ${name}${at === 0 ? `\0${CAPABILITIES}` : ""}\n`),
  );
  return Buffer.concat([packetLine("# service=git-receive-pack\n"), FLUSH, ...lines, FLUSH]);
}

/** Sent while the push is being taken: proxies end what is silent. */
export const KEEP_ALIVE = packetLine(Uint8Array.of(1));

export function pushAnswer(
  { wantsReport, hasBands }: PushCommands,
  { refs, hints }: { readonly refs: readonly PushedRef[]; readonly hints: readonly string[] },
): Buffer {
  if (!wantsReport) return Buffer.alloc(0);
  const report = Buffer.concat([
    packetLine("unpack ok\n"),
    ...refs.map((one) => packetLine(one.ok ? `ok ${one.ref}\n` : `ng ${one.ref} ${reasonOf(one.refusal)}\n`)),
    FLUSH,
  ]);
  if (!hasBands) return report;
  const told = hints.map((line) => `${line}\n`).join("");
  return Buffer.concat([bandLines(2, Buffer.from(told)), bandLines(1, report), FLUSH]);
}

function reasonOf(refusal: PushFault): string {
  return singleLine(toProblem(refusal).message, MAX_REASON_CHARS);
}

/** What comes next, as commands. */
export function hintsOf(
  refs: readonly PushedRef[],
  { workspaceId, page }: { readonly workspaceId: string; readonly page: string },
): readonly string[] {
  const pushed = refs.flatMap((one) => (one.ok ? [one] : []));
  const saved = pushed.flatMap(({ copyId, revisionId }) => [
    `Copy ${copyId} is revision ${revisionId}. To propose it for main:`,
    `  agent-service workspaces changesets create ${workspaceId} "<title>" --copy ${copyId}`,
  ]);
  if (saved.length > 0) return [...saved, `Accepting it asks for evidence: ${page}`];
  const isForMain = refs.some((one) => !one.ok && one.refusal.reason === "push_to_main");
  const isForOther = refs.some((one) => !one.ok && one.refusal.reason === "push_to_other_ref");
  if (!isForMain && !isForOther) return [];
  return [
    ...(isForMain ? ["main moves by changesets alone, which are accepted with evidence."] : []),
    "Make a copy, push to its branch, propose it, and have it accepted:",
    `  agent-service workspaces copies create ${workspaceId}`,
    "  git push origin HEAD:copies/<copy>",
    `  agent-service workspaces changesets create ${workspaceId} "<title>" --copy <copy>`,
    `  agent-service workspaces changesets accept ${workspaceId} <changeset> --evidence "<how it was validated>"`,
  ];
}
