// The agent's instructions of one commit, laid over another: what a version of AGENTS.md would have done back then.

import { createHash } from "node:crypto";
import type { EvalRepository, TreeFile } from "./repository.ts";

export type Instructions = {
  readonly files: readonly TreeFile[];
  /** The text of the prompt file; "" without one. */
  readonly prompt: string;
  /** The same for the same instructions. */
  readonly hash: string;
};

type Asked = {
  readonly commit: string;
  readonly isInstruction: (path: string) => boolean;
  readonly prompt: string;
};

export async function readInstructions(
  repository: EvalRepository,
  { commit, isInstruction, prompt }: Asked,
): Promise<Instructions> {
  const files = (await repository.files(commit)).filter(({ path }) => isInstruction(path));
  const hash = createHash("sha256")
    .update(JSON.stringify([files, prompt]))
    .digest("hex");
  return { files, prompt, hash };
}

/** A commit with these instructions, and none of those that `parent` has. */
export async function overlaidCommit(
  repository: EvalRepository,
  {
    parent,
    isInstruction,
    files,
  }: Pick<Asked, "isInstruction"> & Pick<Instructions, "files"> & { readonly parent: string },
): Promise<string> {
  const others = (await repository.files(parent)).filter(({ path }) => !isInstruction(path));
  const message = "Update the instructions for agents";
  return await repository.commitFiles([...others, ...files], { parents: [parent], message });
}
