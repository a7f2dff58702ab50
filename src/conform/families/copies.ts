// Copies, and the operations behind slow requests (4.6 rules 3 and 8).

import { at, inFiles, inWorkspaces, NO_ID, own } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
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
  boolean,
  dateTime,
  exactly,
  filled,
  integer,
  nothing,
  object,
  oneOf,
  uuid,
} from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { filledWorkspace, put, read, scratchWorkspace } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { checkpoint, filesOf, makeCopy } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const operationFields = {
  id: uuid,
  workspace_id: uuid,
  kind: filled,
  status: oneOf("queued", "running", "succeeded", "failed"),
  progress: object,
  created_at: dateTime,
};
const copyFields = {
  id: uuid,
  workspace_id: uuid,
  is_canonical: boolean,
  state: exactly("ready"),
  base_revision_id: uuid,
  changed_files: integer,
  held_by_run_id: nothing,
  created_by: object,
  created_at: dateTime,
};

/** Requests that begin an operation, each of its own. */
const begins: Readonly<Record<string, { says: string; begin: (world: World) => Promise<Answer> }>> = {
  copy: { says: "Making a copy", begin: async (world) => await world.post(`${await at(world)}/copies`, {}) },
  checkpoint: {
    says: "A checkpoint of canonical files",
    begin: async (world) => await world.post(`${await at(world)}/checkpoints`, {}),
  },
  "checkpoint-of-copy": {
    says: "A checkpoint of a copy",
    begin: async (world) => {
      const { workspaceId, copyId } = await scratchWorkspace(world);
      return await world.post(`/v1/workspaces/${workspaceId}/checkpoints`, { working_copy_id: copyId });
    },
  },
  delete: {
    says: "Deleting a copy",
    begin: async (world) => {
      const { workspaceId } = await scratchWorkspace(world);
      const copyId = await makeCopy(world, workspaceId);
      return await world.send("DELETE", `/v1/workspaces/${workspaceId}/copies/${copyId}`, undefined);
    },
  },
};

export const copies: readonly Statement[] = [
  ...Object.entries(begins).flatMap(([id, { says, begin }]) =>
    statementsOf("4.6 rule 3", { prefix: `operation.${id}`, needs: inFiles }, [
      [
        "accepted",
        `${says} is 202 with the operation.`,
        async (world) => expectFields(expectStatus(await begin(world), 202), operationFields),
      ],
      [
        "location",
        `${says} has the Location of its operation.`,
        async (world) => {
          const answer = expectStatus(await begin(world), 202);
          const path = `/v1/workspaces/${textOf(answer, "workspace_id")}/operations/${textOf(answer, "id")}`;
          expectHeader(answer, "location", new RegExp(`${path}$`));
        },
      ],
      [
        "polled",
        `${says} ends as succeeded, where its Location is polled.`,
        async (world) => {
          const answer = expectStatus(await begin(world), 202);
          const { pathname } = new URL(answer.headers.location ?? "", "http://of.example");
          const polled = await world.get(`${pathname}?wait=30`);
          expectMember(expectStatus(polled, 200), "status", "succeeded");
          expectFields(polled, {
            ...operationFields,
            id: exactly(textOf(answer, "id")),
            result: object,
            ended_at: dateTime,
          });
        },
      ],
    ]),
  ),
  ...statementsOf("4.6", { prefix: "operation", needs: inWorkspaces }, [
    ...["-1", "31", "soon"].map(
      (wait) =>
        [
          `wait:${wait}`,
          `A poll of an operation refuses wait=${wait}.`,
          async (world: World) => {
            const accepted = await world.post(`${await at(world)}/copies`, {});
            const path = `${await at(world)}/operations/${world.made(accepted)}`;
            expectRefused(await world.get(`${path}?wait=${wait}`), 400, "invalid_request");
          },
        ] as const,
    ),
    [
      "of-another-workspace",
      "An operation is 404 below another workspace.",
      async (world) => {
        const accepted = await world.post(`${await at(world)}/copies`, {});
        const { of } = await own(world);
        expectRefused(await world.get(`${of}/operations/${world.made(accepted)}`), 404, "not_found");
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "copy", needs: inFiles }, [
    [
      "get",
      "A copy is read with its fields.",
      async (world) => {
        const { workspaceId, copyId } = await filledWorkspace(world);
        const answer = expectStatus(await world.get(`/v1/workspaces/${workspaceId}/copies/${copyId}`), 200);
        expectFields(answer, {
          ...copyFields,
          id: exactly(copyId),
          is_canonical: exactly(false),
          changed_files: exactly(0),
        });
      },
    ],
    [
      "list",
      "The list of copies has the canonical copy and the working copies.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        const answer = expectStatus(await world.get(`${of}/copies`), 200);
        const items = listOf(answer, "items");
        const canonical = items.filter((item) => member(item, "is_canonical") === true);
        const isThere = items.some((item) => member(item, "id") === copyId);
        expectThat(
          items.length === 2 && canonical.length === 1 && isThere,
          "the canonical copy and the new one",
          answer,
        );
      },
    ],
    [
      "of-current",
      "A copy is of the current revision, where none is named.",
      async (world) => {
        const { workspaceId, copyId, revisionId } = await filledWorkspace(world);
        const answer = await world.get(`/v1/workspaces/${workspaceId}/copies/${copyId}`);
        expectMember(expectStatus(answer, 200), "base_revision_id", revisionId);
      },
    ],
    [
      "of-revision",
      "A copy of a named revision has that revision's files.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        expectStatus(await put(world, `${of}/files`, { path: "a.txt", content: "one\n" }), 201);
        const first = await checkpoint(world, { workspaceId });
        expectStatus(await put(world, `${of}/files`, { path: "a.txt", content: "two\n" }, "*"), 200);
        await checkpoint(world, { workspaceId });
        const accepted = await world.post(`${of}/copies`, { base_revision_id: first });
        const copyId = textOf(await world.finished(accepted), "result", "working_copy_id");
        expectMember(await read(world, filesOf({ workspaceId, copyId }), "a.txt"), "content", "one\n");
      },
    ],
    [
      "of-unknown-revision",
      "A copy of a revision that there is not is 404.",
      async (world) => {
        expectRefused(
          await world.post(`${await at(world)}/copies`, { base_revision_id: NO_ID }),
          404,
          "not_found",
        );
      },
    ],
    [
      "of-revision-elsewhere",
      "A copy of another workspace's revision is 404.",
      async (world) => {
        const { revisionId } = await filledWorkspace(world);
        const { of } = await own(world);
        expectRefused(await world.post(`${of}/copies`, { base_revision_id: revisionId }), 404, "not_found");
      },
    ],
    [
      "apart",
      "What is written in a copy is neither in the canonical copy nor in another copy.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const [copyId, other] = [await makeCopy(world, workspaceId), await makeCopy(world, workspaceId)];
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        expectRefused(await read(world, `${of}/files`, "x.txt"), 404);
        expectRefused(await read(world, filesOf({ workspaceId, copyId: other }), "x.txt"), 404);
      },
    ],
    [
      "changed-files",
      "A copy says how many files were changed since it was saved.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        for (const path of ["x.txt", "y.txt"])
          expectStatus(await put(world, filesOf({ workspaceId, copyId }), { path, content: "x" }), 201);
        expectMember(await world.get(`${of}/copies/${copyId}`), "changed_files", 2);
        await checkpoint(world, { workspaceId, copyId });
        expectMember(await world.get(`${of}/copies/${copyId}`), "changed_files", 0);
      },
    ],
    [
      "deleted",
      "A copy that was deleted is 404, and its files too.",
      async (world) => {
        const { workspaceId } = await scratchWorkspace(world);
        const copyId = await makeCopy(world, workspaceId);
        const path = `/v1/workspaces/${workspaceId}/copies/${copyId}`;
        await world.finished(await world.send("DELETE", path, undefined));
        expectRefused(await world.get(path), 404, "not_found");
        expectRefused(await world.get(`${path}/files/list`), 404, "not_found");
      },
    ],
    [
      "delete-canonical",
      "The canonical copy is not deleted by itself: 400.",
      async (world) => {
        const { of } = await own(world);
        const id = textOf(await world.get(`${of}/copies`), "items", 0, "id");
        expectRefused(await world.send("DELETE", `${of}/copies/${id}`, undefined), 400, "invalid_request");
      },
    ],
    [
      "deleted-keeps-revision",
      "The revision that a copy has saved outlives the copy.",
      async (world) => {
        const { of, workspaceId } = await own(world);
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }),
          201,
        );
        const revisionId = await checkpoint(world, { workspaceId, copyId });
        await world.finished(await world.send("DELETE", `${of}/copies/${copyId}`, undefined));
        expectStatus(await world.get(`${of}/revisions/${revisionId}`), 200);
      },
    ],
  ]),
];
