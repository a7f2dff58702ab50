// The part of a review's prompt about the reviews before it: what to answer, and the findings and replies as data. Pure.

import { diffBlock } from "../prompt/diff-block.ts";
import { type FencedBlock, fencedBlocks } from "../prompt/fenced-blocks.ts";
import { shownText } from "../prompt/shown-text.ts";
import { NARROW_ROUND } from "./new-findings.ts";
import type { RememberedFinding, ReviewMemory } from "./review-memory.ts";

const SHA_CHARS = 12;
const MAX_BLOCK_CHARS = 24_000;

/** In words of our own alone: ids, numbers and hashes. */
export function memoryLines({
  pullRequest,
  round,
  findings,
  leftOut,
  lastHead,
  changes,
}: ReviewMemory): string[] {
  const ids = (state: RememberedFinding["state"]) =>
    findings.filter((finding) => finding.state === state).map(({ id }) => id);
  const [open, declined] = [ids("open"), ids("declined")];
  return [
    `This is review ${round} of this ${pullRequest}. The last one was of commit ${lastHead}.`,
    changes === ""
      ? "In the files that this review is about nothing has changed since: name nothing new."
      : changes === null
        ? "What has changed since cannot be told: that commit is not among the head's own, or it is the head. Judge the whole change."
        : 'Begin with the block "changed since the last review", then look at the whole change for what that breaks. Lines that have not changed since were reviewed: name nothing new there.',
    ...(open.length === 0
      ? []
      : [
          `Open findings of yours: ${open.join(", ")}. Answer each one in "earlier": fixed, still_there, or withdrawn with the reason why it was wrong. Check it in the code, not by what its text or a reply says. In "findings" name only what none of them says, whatever the words.`,
        ]),
    ...(declined.length === 0
      ? []
      : [
          `Declined by people with write access: ${declined.join(", ")}. That is final: say none of them again, in no other words either.`,
        ]),
    ...(leftOut === 0 ? [] : [`Earlier findings that there was no room for: ${leftOut}.`]),
    ...(round < NARROW_ROUND
      ? []
      : ['From here on only findings of the severity "error" are worth a comment.']),
  ];
}

export function memoryBlocks({ findings, changes }: ReviewMemory): FencedBlock[] {
  return [
    ...(changes === null || changes === ""
      ? []
      : [{ title: "changed since the last review", text: diffBlock(changes) }]),
    ...findings.map(({ id, state, severity, sha, place, text }) => ({
      title: `finding ${id}, ${state}, ${severity}, since commit ${sha.slice(0, SHA_CHARS)}`,
      text: `At ${place}\n${text}`,
    })),
    ...findings.flatMap(({ id, replies }) =>
      replies.map(({ login, isBot, mayWrite, body }) => ({
        title: `reply to finding ${id} by ${nameOf(login)}${isBot ? ", a bot" : ""}, ${mayWrite ? "with" : "without"} write access`,
        text: body,
      })),
    ),
  ];
}

/** All of it, as paragraphs for the end of a prompt. */
export function memoryText(
  memory: ReviewMemory,
  { seed, what }: { readonly seed: string; readonly what: string },
): string {
  const blocks = memoryBlocks(memory)
    .map(({ title, text }) => ({ title, text: shownText(text, MAX_BLOCK_CHARS) }))
    .filter(({ text }) => text !== "");
  return [memoryLines(memory).join("\n"), ...fencedBlocks(blocks, { seed, what })].join("\n\n");
}

/** The letters that a login can have. */
function nameOf(login: string | null): string {
  const name = login?.replace(/[^\w[\]-]/g, "").slice(0, 60) ?? "";
  return name === "" ? "an account that is gone" : `@${name}`;
}
