// Checkpoints and revisions: saved and accepted files, and the contents of a bundle (4.6 rules 4, 6 and 12).

import { at, inFiles, NO_ID, own } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import {
  expectHeader,
  expectMember,
  expectRefused,
  expectStatus,
  expectThat,
  listOf,
  textOf,
} from "../kit/expect.ts";
import {
  array,
  boolean,
  dateTime,
  exactly,
  integer,
  object,
  objectId,
  text,
  uuid,
} from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { filledWorkspace, put, read } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { checkpoint, currentRevision, filesOf, makeCopy, propose } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const revisionFields = {
  id: uuid,
  workspace_id: uuid,
  commit: objectId,
  tree: objectId,
  parent_ids: array,
  message: text,
  author: object,
  files: integer,
  bytes: integer,
  pinned: boolean,
  created_at: dateTime,
};

export const revisions: readonly Statement[] = [
  ...statementsOf("4.6 rule 12", { prefix: "checkpoint", needs: inFiles }, [
    [
      "saved-apart-from-accepted",
      "A revision that a copy has saved is not accepted, and not the current one.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const before = await currentRevision(world, workspaceId);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const revisionId = await checkpoint(world, { workspaceId, copyId });
        expectMember(
          expectStatus(await world.get(`${of}/revisions/${revisionId}`), 200),
          "accepted_at",
          null,
        );
        const after = await world.get(of);
        expectMember(after, "current_revision_id", before);
      },
    ],
    [
      "named-by-copy",
      "A copy names the revision that it has saved.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const revisionId = await checkpoint(world, { workspaceId, copyId });
        expectMember(await world.get(`${of}/copies/${copyId}`), "saved_revision_id", revisionId);
      },
    ],
    [
      "unsaved",
      "A write to a copy alone makes no revision.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const before = await world.get(`${of}/revisions`);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const after = await world.get(`${of}/revisions`);
        expectThat(after.text === before.text, "the revisions as before", after);
      },
    ],
    [
      "canonical",
      "A checkpoint of canonical files is accepted and the current revision.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "x" }), 201);
        const revisionId = await checkpoint(world, { workspaceId });
        expectMember(await world.get(of), "current_revision_id", revisionId);
        const answer = await world.get(`${of}/revisions/${revisionId}`);
        expectThat(
          dateTime.holds(member(answer.json, "accepted_at")),
          `accepted_at is ${dateTime.says}`,
          answer,
        );
      },
    ],
    [
      "unchanged",
      "A checkpoint of what has not changed names the revision that is there, and says so.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const current = await currentRevision(world, workspaceId);
        const done = await world.finished(await world.post(`${of}/checkpoints`, {}));
        expectMember(done, "result.revision_id", current);
        expectMember(done, "result.unchanged", true);
      },
    ],
    [
      "message",
      "A revision has the message of its checkpoint.",
      async (world) => {
        const { of } = await own(world);
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "x" }), 201);
        const done = await world.finished(await world.post(`${of}/checkpoints`, { message: "Add x" }));
        const revisionId = textOf(done, "result", "revision_id");
        expectMember(await world.get(`${of}/revisions/${revisionId}`), "message", "Add x");
      },
    ],
    [
      "unknown-copy",
      "A checkpoint of a copy that there is not is 404.",
      async (world) => {
        const answer = await world.post(`${await at(world)}/checkpoints`, { working_copy_id: NO_ID });
        expectRefused(answer, 404, "not_found");
      },
    ],
    [
      "misspelled-copy",
      "A checkpoint whose copy is misspelled is refused, and saves nothing of canonical files.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const before = await currentRevision(world, workspaceId);
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "x" }), 201);
        const copyId = await makeCopy(world, workspaceId);
        expectRefused(
          await world.post(`${of}/checkpoints`, { working_copy: copyId }),
          400,
          "invalid_request",
        );
        expectMember(await world.get(of), "current_revision_id", before);
      },
    ],
    [
      "ai-client",
      "An AI client saves a copy, and not canonical files: 403.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(await world.post(`${of}/checkpoints`, { working_copy_id: copyId }, "ai"), 202);
        expectRefused(await world.post(`${of}/checkpoints`, {}, "ai"), 403, "owner_needed");
      },
      ["ai_client"],
    ],
  ]),
  ...statementsOf("4.6", { prefix: "revision", needs: inFiles }, [
    [
      "get",
      "A revision is read with its fields.",
      async (world) => {
        const { workspaceId, revisionId } = await filledWorkspace(world);
        const answer = expectStatus(
          await world.get(`/v1/workspaces/${workspaceId}/revisions/${revisionId}`),
          200,
        );
        expectFields(answer, {
          ...revisionFields,
          id: exactly(revisionId),
          files: exactly(8),
          accepted_at: dateTime,
        });
      },
    ],
    [
      "parent",
      "A revision names the one that it was made from.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const before = await currentRevision(world, workspaceId);
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "x" }), 201);
        const revisionId = await checkpoint(world, { workspaceId });
        expectMember(await world.get(`${of}/revisions/${revisionId}`), "parent_ids", [before]);
      },
    ],
    [
      "immutable",
      "A revision keeps its files when canonical files change after it.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "one\n" }), 201);
        const revisionId = await checkpoint(world, { workspaceId });
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "two\n" }, "*"), 200);
        expectMember(await read(world, `${of}/revisions/${revisionId}/files`, "x.txt"), "content", "one\n");
      },
    ],
    ...(["accepted=true", "accepted=false"] as const).map(
      (query) =>
        [
          query,
          `The list of revisions with ${query} has only such.`,
          async (world: World) => {
            const { of, workspaceId } = await own(world);
            await propose(world, { workspaceId }, { "x.txt": "x" });
            const answer = expectStatus(await world.get(`${of}/revisions?${query}`), 200);
            const items = listOf(answer, "items");
            const wanted = query === "accepted=true";
            const hold = items.every((item) => (member(item, "accepted_at") !== null) === wanted);
            expectThat(
              items.length > 0 && hold,
              `only revisions that are ${wanted ? "" : "not "}accepted`,
              answer,
            );
          },
        ] as const,
    ),
    ...Object.entries({
      write: "PUT",
      upload: "POST",
      delete: "POST",
      restore: "POST",
      "empty-trash": "POST",
    }).map(
      ([route, method]) =>
        [
          `no-${route}`,
          `Revision files are read-only: ${method} ${route} is no route.`,
          async (world: World) => {
            const { workspaceId, revisionId } = await filledWorkspace(world);
            const path = `/v1/workspaces/${workspaceId}/revisions/${revisionId}/files/${route}`;
            const answer = await world.ask({ method, path, json: { path: "a.txt", content: "x" } });
            expectRefused(answer, [404, 405]);
          },
        ] as const,
    ),
    [
      "delete",
      "A revision that nothing builds on is deleted: 200 with the revision, which is 404 after that.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const revisionId = await checkpoint(world, { workspaceId, copyId });
        await world.finished(await world.send("DELETE", `${of}/copies/${copyId}`, undefined));
        const path = `${of}/revisions/${revisionId}`;
        expectMember(expectStatus(await world.send("DELETE", path, undefined), 200), "id", revisionId);
        expectRefused(await world.get(path), 404, "not_found");
      },
    ],
    [
      "delete-current",
      "The current revision is not deleted: 409.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const path = `${of}/revisions/${await currentRevision(world, workspaceId)}`;
        expectRefused(await world.send("DELETE", path, undefined), 409, "revision_in_use");
      },
    ],
    [
      "delete-base-of-copy",
      "A revision that a copy is based on is not deleted: 409.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const revisionId = await checkpoint(world, { workspaceId, copyId });
        expectRefused(
          await world.send("DELETE", `${of}/revisions/${revisionId}`, undefined),
          409,
          "revision_in_use",
        );
      },
    ],
    [
      "delete-of-changeset",
      "A revision of an open changeset is not deleted: 409.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const { copyId, revisionId } = await propose(world, { workspaceId }, { "x.txt": "x" });
        await world.finished(await world.send("DELETE", `${of}/copies/${copyId}`, undefined));
        expectRefused(
          await world.send("DELETE", `${of}/revisions/${revisionId}`, undefined),
          409,
          "revision_in_use",
        );
      },
    ],
    [
      "bundle",
      "A revision is downloaded as a bundle of git, an attachment.",
      async (world) => {
        const { workspaceId, revisionId } = await filledWorkspace(world);
        const path = `/v1/workspaces/${workspaceId}/revisions/${revisionId}/bundle`;
        const answer = expectStatus(await world.get(path), 200);
        expectHeader(answer, "content-type", /^application\/x-git-bundle/);
        expectHeader(answer, "content-disposition", /^attachment/);
        expectThat(answer.text.startsWith("# v"), "the first line of a bundle", answer);
      },
    ],
    [
      "bundle-branch",
      "The bundle of a revision has its commit as the branch main.",
      async (world) => {
        const { workspaceId, revisionId } = await filledWorkspace(world);
        const path = `/v1/workspaces/${workspaceId}/revisions/${revisionId}`;
        const commit = textOf(await world.get(path), "commit");
        const answer = expectStatus(await world.get(`${path}/bundle`), 200);
        expectThat(answer.text.includes(`${commit} refs/heads/main`), `${commit} refs/heads/main`, answer);
      },
    ],
  ]),
  ...statementsOf("4.6 rule 6", { prefix: "recovery", needs: inFiles }, [
    [
      "fresh-copy",
      "A copy of a saved revision has what was saved, and nothing that was written after that.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        const files = filesOf({ workspaceId, copyId });
        expectStatus(await put(world, files, { path: "saved.txt", content: "saved\n" }), 201);
        const revisionId = await checkpoint(world, { workspaceId, copyId });
        expectStatus(await put(world, files, { path: "later.txt", content: "later\n" }), 201);
        const accepted = await world.post(`${of}/copies`, { base_revision_id: revisionId });
        const next = textOf(await world.finished(accepted), "result", "working_copy_id");
        expectStatus(await read(world, filesOf({ workspaceId, copyId: next }), "saved.txt"), 200);
        expectRefused(await read(world, filesOf({ workspaceId, copyId: next }), "later.txt"), 404);
      },
    ],
  ]),
];
