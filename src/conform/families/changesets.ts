// Changesets: proposed, read and rejected (4.6 rule 4), and the rights of an AI client (5 rule 6).

import { NO_ID } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { dateTime, exactly, nothing } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { put, read } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { currentRevision, filesOf, makeCopy, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";
import { accept, decisions, fields, needs, proposal, undecided } from "./proposals.ts";

export const changesets: readonly Statement[] = [
  ...statementsOf("4.6", { prefix: "changeset", needs }, [
    [
      "create",
      "A changeset of a copy is 201 with its fields, open where nothing conflicts.",
      async (world) => {
        const { of, copyId, revisionId } = await undecided(world);
        const body = { working_copy_id: copyId, title: "Add x", summary: "It adds x." };
        const answer = expectStatus(await world.post(`${of}/changesets`, body), 201);
        expectFields(answer, {
          ...fields,
          status: exactly("open"),
          title: exactly("Add x"),
          summary: exactly("It adds x."),
          mergeable: exactly(true),
          revision_id: exactly(revisionId),
          conflicts: exactly([]),
          validation_evidence: nothing,
          accepted_revision_id: nothing,
        });
      },
    ],
    [
      "of-revision",
      "A changeset is made of a saved revision, too.",
      async (world) => {
        const { of, revisionId } = await undecided(world);
        const answer = await world.post(`${of}/changesets`, { revision_id: revisionId, title: "Add x" });
        expectMember(expectStatus(answer, 201), "revision_id", revisionId);
        expectMember(answer, "working_copy_id", null);
      },
    ],
    [
      "counts",
      "A changeset counts files, added and deleted lines.",
      async (world) => {
        const answer = expectStatus(await world.get((await undecided(world)).path), 200);
        for (const [name, count] of Object.entries({ files: 1, additions: 2, deletions: 0 }))
          expectMember(answer, name, count);
      },
    ],
    [
      "of-nothing",
      "A changeset that names neither a copy nor a revision is 400.",
      async (world) => {
        const { of } = await undecided(world);
        expectRefused(await world.post(`${of}/changesets`, { title: "x" }), 400, "invalid_request");
      },
    ],
    [
      "of-both",
      "A changeset that names a copy and a revision is 400.",
      async (world) => {
        const { of, copyId, revisionId } = await undecided(world);
        const body = { working_copy_id: copyId, revision_id: revisionId, title: "x" };
        expectRefused(await world.post(`${of}/changesets`, body), 400, "invalid_request");
      },
    ],
    ...(["working_copy_id", "revision_id"] as const).map(
      (name) =>
        [
          `unknown-${name}`,
          `A changeset with a ${name} that there is not is 404.`,
          async (world: World) => {
            const { of } = await undecided(world);
            expectRefused(
              await world.post(`${of}/changesets`, { [name]: NO_ID, title: "x" }),
              404,
              "not_found",
            );
          },
        ] as const,
    ),
    [
      "of-no-change",
      "A changeset that changes nothing is 400.",
      async (world) => {
        const { of, workspaceId } = await undecided(world);
        const body = { revision_id: await currentRevision(world, workspaceId), title: "x" };
        expectRefused(await world.post(`${of}/changesets`, body), 400, "invalid_request");
      },
    ],
    [
      "list",
      "The list of changesets has them, newest first.",
      async (world) => {
        const { of, copyId, changesetId } = await proposal(world);
        const second = world.made(
          await world.post(`${of}/changesets`, { working_copy_id: copyId, title: "Again" }),
        );
        const answer = expectStatus(await world.get(`${of}/changesets`), 200);
        const ids = listOf(answer, "items").map((item) => member(item, "id"));
        expectThat(
          JSON.stringify(ids) === JSON.stringify([second, changesetId]),
          `${second}, ${changesetId}`,
          answer,
        );
      },
    ],
    ...["open", "conflicted", "accepted", "rejected"].map(
      (status) =>
        [
          `list-${status}`,
          `The list of changesets with status=${status} has only such.`,
          async (world: World) => {
            const { of } = await undecided(world);
            const answer = expectStatus(await world.get(`${of}/changesets?status=${status}`), 200);
            const items = listOf(answer, "items");
            const hold = items.every((item) => member(item, "status") === status);
            expectThat(hold && (status === "open") === items.length > 0, `items that are ${status}`, answer);
          },
        ] as const,
    ),
    [
      "list-unknown-status",
      "The list of changesets refuses a status that there is not.",
      async (world) => {
        const { of } = await undecided(world);
        expectRefused(await world.get(`${of}/changesets?status=merged`), 400, "invalid_request");
      },
    ],
    [
      "patch",
      "A changeset is read with its diff where patch=true asks for it.",
      async (world) => {
        const answer = expectStatus(await world.get(`${(await undecided(world)).path}?patch=true`), 200);
        expectMember(answer, "changes.0.path", "x.txt");
        expectMember(answer, "changes.0.status", "added");
        expectThat(textOf(answer, "patch").includes("+one"), "a patch with +one", answer);
      },
    ],
    [
      "no-patch",
      "A changeset is read without its diff where nothing asks for it.",
      async (world) => {
        const answer = expectStatus(await world.get((await undecided(world)).path), 200);
        expectMember(answer, "patch", undefined);
      },
    ],
    [
      "ai-client",
      "An AI client proposes a changeset, and is named as who made it.",
      async (world) => {
        const { of, copyId } = await undecided(world);
        const answer = await world.post(`${of}/changesets`, { working_copy_id: copyId, title: "x" }, "ai");
        expectMember(expectStatus(answer, 201), "created_by.type", "ai_client");
      },
      ["ai_client"],
    ],
  ]),
  ...statementsOf("4.6 rule 4", { prefix: "changeset", needs }, [
    [
      "unsaved",
      "A changeset of a copy with changes that are not saved is 409.",
      async (world) => {
        const workspaceId = await makeWorkspace(world);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const answer = await world.post(`/v1/workspaces/${workspaceId}/changesets`, {
          working_copy_id: copyId,
          title: "x",
        });
        expectRefused(answer, 409, "copy_unsaved");
      },
    ],
    [
      "proposed-is-not-accepted",
      "A changeset that is proposed changes no canonical file.",
      async (world) => {
        const { of } = await undecided(world);
        expectRefused(await read(world, `${of}/files`, "x.txt"), 404);
      },
    ],
    [
      "accepted-files",
      "The files of an accepted changeset are canonical.",
      async (world) => {
        const made = await proposal(world);
        expectStatus(await accept(world, made), 200);
        expectMember(
          expectStatus(await read(world, `${made.of}/files`, "x.txt"), 200),
          "content",
          "one\ntwo\n",
        );
      },
    ],
    [
      "accepted-root",
      "The accepted revision of a changeset is the workspace's current one.",
      async (world) => {
        const made = await proposal(world);
        const answer = expectStatus(await accept(world, made), 200);
        expectMember(await world.get(made.of), "current_revision_id", textOf(answer, "accepted_revision_id"));
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "reject", needs }, [
    [
      "rejected",
      "A rejection is 200 with the changeset, its reason and when it was decided.",
      async (world) => {
        const { path } = await proposal(world);
        const answer = expectStatus(await world.post(`${path}/reject`, { reason: "Too much." }), 200);
        expectFields(answer, {
          status: exactly("rejected"),
          reject_reason: exactly("Too much."),
          decided_at: dateTime,
        });
      },
    ],
    [
      "no-body",
      "A rejection needs no body.",
      async (world) => {
        const { path } = await proposal(world);
        expectMember(expectStatus(await world.post(`${path}/reject`, undefined), 200), "status", "rejected");
      },
    ],
    [
      "changes-nothing",
      "A rejection leaves the current revision, and the proposed one.",
      async (world) => {
        const { of, path, workspaceId, revisionId } = await proposal(world);
        const before = await currentRevision(world, workspaceId);
        expectStatus(await world.post(`${path}/reject`, {}), 200);
        expectMember(await world.get(of), "current_revision_id", before);
        expectStatus(await world.get(`${of}/revisions/${revisionId}`), 200);
      },
    ],
    [
      "ai-client",
      "An AI client rejects a changeset.",
      async (world) => {
        const { path } = await proposal(world);
        expectStatus(await world.post(`${path}/reject`, {}, "ai"), 200);
      },
      ["ai_client"],
    ],
    ...(["reject", "accept", "resolve"] as const).map(
      (then) =>
        [
          `then-${then}`,
          `A rejected changeset is decided: ${then} is 409.`,
          async (world: World) => {
            const made = await proposal(world);
            expectStatus(await world.post(`${made.path}/reject`, {}), 200);
            const answer =
              then === "reject"
                ? await world.post(`${made.path}/reject`, {})
                : await decisions[then](world, made);
            expectRefused(answer, 409, "changeset_decided");
          },
        ] as const,
    ),
  ]),
];
