// What became of a run's changes, as one line for the summary and the status comment. Pure.

import { assertNever } from "../base/assert-never.ts";
import type { Delivery } from "../report/delivery.ts";
import { escapeMarkdown, inlineCode, link } from "./markdown.ts";

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
