// What became of what a run changed, once the job has tried to write it down. Pure.

import { assertNever } from "../base/assert-never.ts";
import { escapeMarkdown, inlineCode, link } from "../render/markdown.ts";

/** Why changes stayed in the patch. */
export type KeptReason =
  | "changes_conflict"
  | "branch_protected"
  | "branch_taken"
  | "branch_moved"
  | "fork_head"
  | "no_branch"
  | "permission_missing"
  | "pull_request_refused"
  | "signing_unsupported"
  | "patch_unusable"
  | "push_refused"
  | "interrupted"
  | "code_host_unavailable";

export type Delivery =
  /** Nothing changed, or the patch is all that was asked for. */
  | { readonly type: "none" }
  | {
      readonly type: "commit";
      readonly branch: string;
      readonly sha: string;
      readonly url: string;
    }
  | {
      readonly type: "pull_request";
      readonly branch: string;
      readonly sha: string;
      readonly number: number;
      readonly url: string;
      /** False for one that an earlier run had opened. */
      readonly isNew: boolean;
    }
  /** Only the patch has it. The message says why, and what to do. */
  | { readonly type: "kept"; readonly reason: KeptReason; readonly message: string };

/** One line of Markdown; "" where there is nothing to say. */
export function deliveryLine(delivery: Delivery | null): string {
  switch (delivery?.type) {
    case undefined:
    case "none":
      return "";
    case "commit": {
      const commit = link(delivery.sha.slice(0, 7), delivery.url);
      return `**Pushed** ${commit} to ${inlineCode(delivery.branch)}`;
    }
    case "pull_request": {
      const verb = delivery.isNew ? "Opened" : "Updated";
      return `**${verb}** ${link(`pull request No. ${delivery.number}`, delivery.url)} from ${inlineCode(delivery.branch)}`;
    }
    case "kept":
      return `**Not pushed** ${escapeMarkdown(delivery.message)}`;
    default:
      return assertNever(delivery);
  }
}
