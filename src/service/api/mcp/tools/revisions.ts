// The tool of revisions.

import * as z from "zod/mini";
import { singleLine } from "../../../../base/untrusted-text.ts";
import { field } from "../../../../contract/field.ts";
import {
  type RevisionView,
  revisionRoutes,
  revisionSchema,
} from "../../../../contract/workspaces/revisions.ts";
import { revisionHandlers } from "../../http/workspaces/revisions.ts";
import { linesOf, nextCursorSchema, nextOf, part } from "../answer-part.ts";
import { answer, said, tool } from "../tool.ts";
import { atMost } from "../tool-input.ts";

const MAX_MESSAGE_CHARS = 300;

const shown = part(revisionSchema, [
  "id",
  "parent_ids",
  "message",
  "author",
  "files",
  "bytes",
  "created_at",
  "accepted_at",
]);
const toolRevisionSchema = z.extend(shown.schema, { author: z.string() });
type ToolRevision = z.infer<typeof toolRevisionSchema>;

function toToolRevision(revision: RevisionView): ToolRevision {
  const message = singleLine(revision.message, MAX_MESSAGE_CHARS);
  return { ...shown.of(revision), message, author: actorText(revision.author) };
}

function actorText(actor: RevisionView["author"]): string {
  return actor.type === "run" ? `run ${actor.run_id}` : actor.type;
}

function revisionLine({ id, message, author, files, accepted_at }: ToolRevision): string {
  return `${id}, ${accepted_at === null ? "saved" : "accepted"} by ${author}: ${files} files. ${message}`;
}

export const revisionTools = [
  tool(revisionRoutes.list, {
    name: "list_revisions",
    title: "List revisions",
    description:
      "The revisions of a workspace, newest first: those that were accepted, or all that are saved.",
    hints: { isReadOnly: true },
    takes: ["accepted", "cursor", "limit"],
    fields: { limit: atMost(50, 20, "Items") },
    adds: {
      accepted: field(
        z._default(z.boolean(), true),
        "Those that were accepted, alone. False: all that are saved.",
      ),
    },
    output: z.object({ revisions: z.array(toolRevisionSchema), next_cursor: nextCursorSchema }),
    run: async ({ own, ...request }, { core }) => {
      const accepted = own.accepted ? { accepted: "true" as const } : {};
      const page = await revisionHandlers(core).list({
        ...request,
        query: { ...request.query, ...accepted },
      });
      return said(page, ({ items, next_cursor }) => {
        const revisions = items.map(toToolRevision);
        const text = linesOf(revisions, revisionLine, "There are no revisions.");
        return answer({ revisions, ...nextOf(next_cursor) }, text);
      });
    },
  }),
];
