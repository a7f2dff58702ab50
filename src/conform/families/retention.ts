// Retention of a workspace's contents, and pins (4.6 rule 9).

import { inFiles, NO_ID } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf, textOf } from "../kit/expect.ts";
import { dateTime, exactly, integer, nothing, text, uuid } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { filledWorkspace, post, put } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { checkpoint, currentRevision, filesOf, makeCopy, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

/** A workspace with a saved revision that nothing builds on any more. */
async function loose(world: World): Promise<{ of: string; revisionId: string }> {
  const workspaceId = await makeWorkspace(world);
  const of = `/v1/workspaces/${workspaceId}`;
  const copyId = await makeCopy(world, workspaceId);
  expectStatus(await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "x" }), 201);
  const revisionId = await checkpoint(world, { workspaceId, copyId });
  await world.finished(await world.send("DELETE", `${of}/copies/${copyId}`, undefined));
  return { of, revisionId };
}

/** The workspace and a revision of its own, to be pinned. */
async function pinnable(world: World): Promise<{ of: string; revisionId: string }> {
  return await world.once("pinnable revision", async () => {
    const workspaceId = await makeWorkspace(world);
    return { of: `/v1/workspaces/${workspaceId}`, revisionId: await currentRevision(world, workspaceId) };
  });
}

export const retention: readonly Statement[] = [
  ...statementsOf("4.6 rule 9", { prefix: "retention", needs: inFiles }, [
    [
      "default-view",
      "Retention without a view is the view cleanup.",
      async (world) => {
        const { workspaceId } = await filledWorkspace(world);
        const answer = expectStatus(await world.get(`/v1/workspaces/${workspaceId}/retention`), 200);
        expectFields(answer, { view: exactly("cleanup"), next_cursor: text });
        listOf(answer, "items");
      },
    ],
    ...["cleanup", "pins", "usage"].map(
      (view) =>
        [
          `view:${view}`,
          `Retention has the view ${view}.`,
          async (world: World) => {
            const { workspaceId } = await filledWorkspace(world);
            const answer = await world.get(`/v1/workspaces/${workspaceId}/retention?view=${view}`);
            expectMember(expectStatus(answer, 200), "view", view);
          },
        ] as const,
    ),
    [
      "view:unknown",
      "Retention refuses a view that there is not.",
      async (world) => {
        const { workspaceId } = await filledWorkspace(world);
        expectRefused(
          await world.get(`/v1/workspaces/${workspaceId}/retention?view=all`),
          400,
          "invalid_request",
        );
      },
    ],
    [
      "usage",
      "The view usage counts objects, bytes, revisions and copies.",
      async (world) => {
        const { workspaceId } = await filledWorkspace(world);
        const answer = expectStatus(
          await world.get(`/v1/workspaces/${workspaceId}/retention?view=usage`),
          200,
        );
        expectFields(answer, { objects: integer, bytes: integer, revisions: integer, copies: integer });
      },
    ],
    [
      "loose-revision",
      "The view cleanup has a saved revision that nothing builds on, and when it is deleted.",
      async (world) => {
        const { of, revisionId } = await loose(world);
        const answer = expectStatus(await world.get(`${of}/retention`), 200);
        const item = listOf(answer, "items").find((one) => member(one, "revision_id") === revisionId);
        expectThat(
          dateTime.holds(member(item, "delete_at")),
          `the revision ${revisionId} with delete_at`,
          answer,
        );
      },
    ],
    [
      "pinned-revision",
      "The view cleanup does not have a revision that a pin keeps.",
      async (world) => {
        const { of, revisionId } = await loose(world);
        world.made(await world.post(`${of}/retention/pins`, { revision_id: revisionId, reason: "kept" }));
        const answer = expectStatus(await world.get(`${of}/retention`), 200);
        expectThat(!answer.text.includes(revisionId), `no ${revisionId}`, answer);
      },
    ],
    [
      "trash",
      "The view cleanup has what is in the trash, with its handle.",
      async (world) => {
        const of = `/v1/workspaces/${await makeWorkspace(world)}`;
        expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "x" }), 201);
        const deleted = expectStatus(await post(world, `${of}/files/delete`, { path: "x.txt" }), 200);
        const handle = textOf(deleted, "trash", 0, "handle");
        const answer = expectStatus(await world.get(`${of}/retention?view=cleanup`), 200);
        const item = listOf(answer, "items").find((one) => member(one, "kind") === "trash");
        expectThat(
          member(item, "handle") === handle && member(item, "path") === "x.txt",
          `the handle ${handle}`,
          answer,
        );
      },
    ],
  ]),
  ...statementsOf("4.6", { prefix: "pin", needs: inFiles }, [
    [
      "create",
      "A pin is 201 with its fields.",
      async (world) => {
        const { of, revisionId } = await pinnable(world);
        const answer = await world.post(`${of}/retention/pins`, { revision_id: revisionId, reason: "kept" });
        const fields = {
          id: uuid,
          revision_id: exactly(revisionId),
          reason: exactly("kept"),
          until: nothing,
          created_at: dateTime,
        };
        expectFields(expectStatus(answer, 201), fields);
      },
    ],
    [
      "until",
      "A pin has the time until when it keeps its revision.",
      async (world) => {
        const { of, revisionId } = await pinnable(world);
        const body = { revision_id: revisionId, reason: "kept", until: "2099-01-01T00:00:00.000Z" };
        expectMember(expectStatus(await world.post(`${of}/retention/pins`, body), 201), "until", body.until);
      },
    ],
    [
      "until-past",
      "A pin until a time that has passed is 400.",
      async (world) => {
        const { of, revisionId } = await pinnable(world);
        const body = { revision_id: revisionId, reason: "kept", until: "2020-01-01T00:00:00Z" };
        expectRefused(await world.post(`${of}/retention/pins`, body), 400, "invalid_request");
      },
    ],
    [
      "unknown-revision",
      "A pin of a revision that there is not is 404.",
      async (world) => {
        const { of } = await pinnable(world);
        const answer = await world.post(`${of}/retention/pins`, { revision_id: NO_ID, reason: "kept" });
        expectRefused(answer, 404, "not_found");
      },
    ],
    [
      "of-another-workspace",
      "A pin of another workspace's revision is 404.",
      async (world) => {
        const { of } = await pinnable(world);
        const { revisionId } = await filledWorkspace(world);
        const answer = await world.post(`${of}/retention/pins`, { revision_id: revisionId, reason: "kept" });
        expectRefused(answer, 404, "not_found");
      },
    ],
    [
      "listed",
      "The view pins has the pins.",
      async (world) => {
        const { of, revisionId } = await loose(world);
        const id = world.made(
          await world.post(`${of}/retention/pins`, { revision_id: revisionId, reason: "kept" }),
        );
        const answer = expectStatus(await world.get(`${of}/retention?view=pins`), 200);
        expectThat(
          listOf(answer, "items").some((one) => member(one, "id") === id),
          `the pin ${id}`,
          answer,
        );
      },
    ],
    [
      "revision-says",
      "A revision says that it is pinned, until the pin is deleted.",
      async (world) => {
        const { of, revisionId } = await loose(world);
        const id = world.made(
          await world.post(`${of}/retention/pins`, { revision_id: revisionId, reason: "kept" }),
        );
        expectMember(await world.get(`${of}/revisions/${revisionId}`), "pinned", true);
        expectStatus(await world.send("DELETE", `${of}/retention/pins/${id}`, undefined), 200);
        expectMember(await world.get(`${of}/revisions/${revisionId}`), "pinned", false);
      },
    ],
    [
      "keeps",
      "A pinned revision is not deleted: 409. Without its pin it is.",
      async (world) => {
        const { of, revisionId } = await loose(world);
        const id = world.made(
          await world.post(`${of}/retention/pins`, { revision_id: revisionId, reason: "kept" }),
        );
        const path = `${of}/revisions/${revisionId}`;
        expectRefused(await world.send("DELETE", path, undefined), 409, "revision_in_use");
        expectStatus(await world.send("DELETE", `${of}/retention/pins/${id}`, undefined), 200);
        expectStatus(await world.send("DELETE", path, undefined), 200);
      },
    ],
    [
      "delete",
      "Deleting a pin is 200 with the pin, which is 404 after that.",
      async (world) => {
        const { of, revisionId } = await pinnable(world);
        const id = world.made(
          await world.post(`${of}/retention/pins`, { revision_id: revisionId, reason: "kept" }),
        );
        const path = `${of}/retention/pins/${id}`;
        expectMember(expectStatus(await world.send("DELETE", path, undefined), 200), "id", id);
        expectRefused(await world.send("DELETE", path, undefined), 404, "not_found");
      },
    ],
  ]),
];
