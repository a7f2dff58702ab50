// The tools of working copies: make one, write in it, save it, delete it.

import * as z from "zod/mini";
import { ok, refused } from "../../../../base/result.ts";
import { singleLine } from "../../../../base/untrusted-text.ts";
import { field, strictObject } from "../../../../contract/field.ts";
import { hasNoNul, isWellFormed } from "../../../../contract/fields.ts";
import { type CopyView, copySchema } from "../../../../contract/workspaces/copies/copy.ts";
import { copyRoutes } from "../../../../contract/workspaces/copies/routes.ts";
import { MAX_PATH_CHARS } from "../../../../contract/workspaces/files/files.ts";
import { copyFileRoutes } from "../../../../contract/workspaces/files/routes.ts";
import { deleteFiles } from "../../../core/workspaces/files/delete-files.ts";
import { etagOf } from "../../../core/workspaces/files/etag.ts";
import { LINK_MODE } from "../../../core/workspaces/files/symbolic-link.ts";
import { writeTexts } from "../../../core/workspaces/files/write-texts.ts";
import { copyHandlers } from "../../http/workspaces/copies.ts";
import { operationHandlers } from "../../http/workspaces/operations.ts";
import { part } from "../answer-part.ts";
import { fileProblem, MAX_SHOWN_PATH_CHARS } from "../file-problem.ts";
import { answer, bodyOf, said, tool } from "../tool.ts";

const MAX_WRITTEN_FILES = 50;
const SAVE_WAIT_SECONDS = 20;

const path = z.string().check(z.minLength(1), z.maxLength(MAX_PATH_CHARS), hasNoNul, isWellFormed);
const etag = z.optional(z.string().check(z.regex(/^[0-9]{1,20}$/)));

export const toolCopy = part(copySchema, [
  "id",
  "state",
  "base_revision_id",
  "saved_revision_id",
  "changed_files",
  "held_by_run_id",
  "created_at",
]);

export function copyLine({ id, state, changed_files, saved_revision_id }: CopyView): string {
  const saved = saved_revision_id === null ? "" : `, saved as ${saved_revision_id}`;
  return `Copy ${id}: ${state}, ${changed_files} files not saved${saved}`;
}

const isFileOrLink = z.refine<{
  content?: string | undefined;
  target?: string | undefined;
  executable?: boolean | undefined;
}>(
  ({ content, target, executable }) =>
    (content === undefined) !== (target === undefined) && (target === undefined || executable === undefined),
  'exactly one of "content" and "target" is required, and "executable" is of no symlink',
);

const writtenFile = strictObject({
  path: field(path, "The file."),
  content: field(z.optional(z.string()), "Its text."),
  target: field(
    z.optional(path),
    "In the place of content: makes a symlink that leads there, a relative path in the same tree.",
  ),
  etag: field(
    etag,
    "The etag that read_file or list_files gave: the file is written only where it is still so. Left out: a new file.",
  ),
  executable: field(z.optional(z.boolean()), "True: a program. Left out: as it was."),
}).check(isFileOrLink);

function modeOf(isExecutable: boolean | undefined): "100755" | "100644" | null {
  if (isExecutable === undefined) return null;
  return isExecutable ? "100755" : "100644";
}

const savedSchema = z.object({
  operation_id: z.uuid(),
  status: z.enum(["queued", "running", "succeeded", "failed"]),
  revision_id: z.optional(z.uuid()),
  unchanged: z.optional(z.boolean()),
  error: z.optional(z.string()),
});

function savedLine(saved: z.infer<typeof savedSchema>): string {
  if (saved.error !== undefined) return `It was not saved: ${saved.error}`;
  if (saved.revision_id === undefined) return `It is being saved (${saved.status}).`;
  return saved.unchanged === true
    ? `Nothing was changed since revision ${saved.revision_id}.`
    : `Saved as revision ${saved.revision_id}. It is not accepted yet: make a changeset of it.`;
}

export const copyTools = [
  tool(copyRoutes.create, {
    name: "create_copy",
    title: "Make a working copy",
    description:
      "Makes a copy of the accepted files, or of another revision, to write in. What is written there becomes accepted only by a changeset.",
    hints: {},
    output: toolCopy.schema,
    run: async (request, { core }) => {
      const { create, get } = copyHandlers(core);
      const made = await create(request);
      if (!made.ok) return made;
      const operation = bodyOf(made.value);
      const { working_copy_id: workingCopyID = "" } =
        operation.status === "succeeded" ? operation.result : {};
      const params = { ...request.params, workingCopyID };
      return said(await get({ ...request, params, body: null }), (copy) =>
        answer(toolCopy.of(copy), copyLine(copy)),
      );
    },
  }),
  tool(copyFileRoutes.write, {
    name: "write_files",
    title: "Write files",
    description:
      "Writes whole files in a copy, all or none. A file that is there already needs the etag that you read: where somebody wrote it since, nothing is written, and the answer has current_etag. Then read it again before you decide. Save with checkpoint.",
    hints: { isDestructive: true, isIdempotent: true },
    takes: [],
    adds: {
      files: field(
        z.array(writtenFile).check(z.minLength(1), z.maxLength(MAX_WRITTEN_FILES)),
        "The files, whole. All are written, or none.",
      ),
    },
    output: z.object({ files: z.array(z.object({ path: z.string(), etag: z.string() })) }),
    run: async ({ caller, params, own, signal }, { core }) => {
      const { workspaceID: workspaceId, workingCopyID: copyId } = params;
      const written = await writeTexts(core, {
        caller,
        workspaceId,
        place: { kind: "copy", copyId },
        signal,
        texts: own.files.map(({ path: name, content = "", target, etag: seen, executable }) => ({
          path: name,
          content: target ?? content,
          etag: seen ?? null,
          mode: target === undefined ? modeOf(executable) : LINK_MODE,
        })),
      });
      if (!written.ok) return refused(fileProblem(written.refusal));
      const files = written.value.map((file) => ({ path: file.path, etag: etagOf(file) }));
      const lines = files.map((file) => `${singleLine(file.path, MAX_SHOWN_PATH_CHARS)}: etag ${file.etag}`);
      return ok(answer({ files }, `Written, and not saved yet:\n${lines.join("\n")}`));
    },
  }),
  tool(copyFileRoutes.delete, {
    name: "delete_file",
    title: "Delete a file or folder",
    description: "Deletes a file or a folder of a copy. It can be restored while the copy is there.",
    hints: { isDestructive: true },
    fields: { path: "The file, or the folder with all that is in it." },
    adds: { etag: field(etag, "The file is deleted only where it is still so.") },
    output: z.object({ path: z.string(), files: z.int(), trash: z.string() }),
    run: async ({ caller, params, body, own }, { core }) => {
      const { workspaceID: workspaceId, workingCopyID: copyId } = params;
      const place = { kind: "copy", copyId } as const;
      const ifMatch = own.etag === undefined ? null : [own.etag];
      const deleted = await deleteFiles(core, { caller, workspaceId, place, path: body.path, ifMatch });
      if (!deleted.ok) return refused(fileProblem(deleted.refusal));
      const { files, handle } = deleted.value;
      const text = `Deleted ${singleLine(body.path, MAX_SHOWN_PATH_CHARS)}: ${files} files, ${handle}.`;
      return ok(answer({ path: body.path, files, trash: handle }, text));
    },
  }),
  tool(copyRoutes.checkpoint, {
    name: "checkpoint",
    title: "Save a working copy",
    description:
      "Saves what was written in a copy as a revision, and waits for it. Saved is not accepted: pass revision_id to create_changeset.",
    hints: { isIdempotent: true },
    fields: { working_copy_id: field(z.uuid(), "The copy to save.") },
    output: savedSchema,
    run: async (request, { core }) => {
      const begun = await copyHandlers(core).checkpoint(request);
      if (!begun.ok) return begun;
      const { id: operationID } = bodyOf(begun.value);
      const params = { ...request.params, operationID };
      const query = { wait: SAVE_WAIT_SECONDS };
      const ended = await operationHandlers(core).get({ ...request, params, query, body: null });
      return said(ended, (operation) => {
        const { result = {} } = operation.status === "succeeded" ? operation : {};
        const error = operation.status === "failed" ? operation.error.error : null;
        const { revision_id, unchanged } = result;
        const saved = {
          operation_id: operationID,
          status: operation.status,
          ...(revision_id === undefined ? {} : { revision_id }),
          ...(unchanged === undefined ? {} : { unchanged }),
          ...(error === null ? {} : { error }),
        };
        return { ...answer(saved, savedLine(saved)), ...(error === null ? {} : { isError: true }) };
      });
    },
  }),
  tool(copyRoutes.delete, {
    name: "delete_copy",
    title: "Delete a working copy",
    description:
      "Deletes a copy. What was not saved by checkpoint is lost; revisions that were made of it stay.",
    hints: { isDestructive: true, isIdempotent: true },
    output: z.object({ copy_id: z.uuid(), state: z.enum(["deleted", "deleting"]) }),
    run: async (request, { core }) =>
      said(await copyHandlers(core).delete(request), ({ status }) => {
        const { workingCopyID: copy_id } = request.params;
        const state = status === "succeeded" ? ("deleted" as const) : ("deleting" as const);
        return answer({ copy_id, state }, `Copy ${copy_id} is ${state}.`);
      }),
  }),
];
