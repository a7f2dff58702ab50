// The part of a review's prompt with the diff of the pull request, for a code host of whose pull requests a run cannot fetch the base. Pure.

import { diffBlock } from "../prompt/diff-block.ts";
import { fencedBlocks } from "../prompt/fenced-blocks.ts";
import { shownText } from "../prompt/shown-text.ts";

const MAX_DIFF_CHARS = 60_000;

/** A paragraph for the end of a prompt. `diff` is untrusted. */
export function pullDiffText(diff: string, fence: { readonly seed: string; readonly what: string }): string {
  const text = shownText(diffBlock(diff), MAX_DIFF_CHARS);
  const lead =
    'The files here are those of the head of the pull request. What it changes is in the block "the pull request\'s diff"; where that is cut, compare with the files.';
  return [lead, ...fencedBlocks([{ title: "the pull request's diff", text }], fence)].join("\n\n");
}
