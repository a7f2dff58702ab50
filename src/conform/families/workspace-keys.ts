// Idempotency keys of the routes of workspaces: required, in the header or the body, reused (4.6 rule 7).

import { at } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import { expectHeader, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { put } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { makeAgent, makeCopy, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";
import { either, named, required } from "./keyed-routes.ts";

const MAX_KEY_CHARS = 255;
const REPLAY = "x-svc-idempotent-replay";

type Sent = { readonly header?: string; readonly inBody?: string };

async function send(world: World, path: string, body: unknown, { header, inBody }: Sent): Promise<Answer> {
  return await world.ask({
    method: "POST",
    path,
    json: { ...(body as object), ...(inBody === undefined ? {} : { idempotency_key: inBody }) },
    ...(header === undefined ? {} : { headers: { "idempotency-key": header } }),
  });
}

/** The same thing: the second request has made nothing. */
function expectSame(first: Answer, second: Answer, at = "id", status = first.status): void {
  expectStatus(first, 200, 201, 202);
  const id = textOf(first, at);
  expectThat(
    second.status === status && member(second.json, at) === id,
    `${status} with ${at} ${id}`,
    second,
  );
}

/** The second answer alone has the replay header. */
function expectReplay(first: Answer, second: Answer): void {
  expectHeader(expectStatus(first, 200, 201, 202), REPLAY, null);
  expectHeader(expectStatus(second, 200, 201, 202), REPLAY, "true");
}

const tooLong = "k".repeat(MAX_KEY_CHARS + 1);

export const workspaceKeys: readonly Statement[] = [
  ...required.flatMap(({ name, says, prepare, repeated }) =>
    statementsOf("4.6 rule 7", { prefix: `key.${name}`, needs: ["workspaces"] }, [
      [
        "missing",
        `${says} without the header Idempotency-Key is 400.`,
        async (world) => {
          const { path, body } = await prepare(world);
          expectRefused(await send(world, path, body, {}), 400, "invalid_request");
        },
      ],
      [
        "empty",
        `${says} with an empty header Idempotency-Key is 400.`,
        async (world) => {
          const { path, body } = await prepare(world);
          expectRefused(await send(world, path, body, { header: "" }), 400, "invalid_request");
        },
      ],
      [
        "in-body",
        `${says} with a key in the body alone is 400.`,
        async (world) => {
          const { path, body } = await prepare(world);
          expectRefused(await send(world, path, body, { inBody: world.uuid() }), 400, "invalid_request");
        },
      ],
      [
        "too-long",
        `${says} with a key above ${MAX_KEY_CHARS} characters is 400.`,
        async (world) => {
          const { path, body } = await prepare(world);
          expectRefused(await send(world, path, body, { header: tooLong }), 400, "invalid_request");
        },
      ],
      [
        "same",
        `${says} twice with one key and one request makes one thing.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const header = world.uuid();
          const first = await send(world, path, body, { header });
          expectSame(first, await send(world, path, body, { header }), "id", repeated);
        },
      ],
      [
        "replay",
        `${says} says by a header of its answer that an earlier request with its key was answered again.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const header = world.uuid();
          expectReplay(await send(world, path, body, { header }), await send(world, path, body, { header }));
        },
      ],
      [
        "reused",
        `${says} with the key of a different request is 422.`,
        async (world) => {
          const { path, body, other } = await prepare(world);
          const header = world.uuid();
          expectStatus(await send(world, path, body, { header }), 201);
          expectRefused(await send(world, path, other, { header }), 422, "idempotency_key_reused");
        },
      ],
      [
        "another",
        `${says} with another key makes another thing.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const first = expectStatus(await send(world, path, body, { header: world.uuid() }), 201);
          const second = expectStatus(await send(world, path, body, { header: world.uuid() }), 201);
          expectThat(textOf(first, "id") !== textOf(second, "id"), "another id", second);
        },
      ],
    ]),
  ),
  ...["missing", "empty"].map(
    (what): Statement => ({
      id: `key.adopt.${what}`,
      section: "4.6 rule 7",
      says: `Adopting an agent's files with a header Idempotency-Key that is ${what} is 400, and says so.`,
      needs: ["workspaces"],
      check: async (world) => {
        const path = `/v1/workspaces/${await makeWorkspace(world)}/storage/adopt`;
        const sent = what === "empty" ? { header: "" } : {};
        const answer = await send(world, path, { agent_id: await makeAgent(world) }, sent);
        expectRefused(answer, 400, "invalid_request");
        expectThat(
          /idempotency-key/i.test(textOf(answer, "error")),
          "an error text that names the header",
          answer,
        );
      },
    }),
  ),
  ...either.flatMap(({ name, says, needs = [], prepare, makes = false, idAt }) =>
    statementsOf("4.6 rule 7", { prefix: `key.${name}`, needs: ["workspaces", ...needs] }, [
      [
        "header",
        `${says} twice with one key in the header is done once.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const header = world.uuid();
          expectSame(
            await send(world, path, body, { header }),
            await send(world, path, body, { header }),
            idAt,
          );
        },
      ],
      [
        "body",
        `${says} twice with one key in the body is done once.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const inBody = world.uuid();
          expectSame(
            await send(world, path, body, { inBody }),
            await send(world, path, body, { inBody }),
            idAt,
          );
        },
      ],
      [
        "replay",
        `${says} says by a header of its answer that an earlier request with its key was answered again.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const header = world.uuid();
          expectReplay(await send(world, path, body, { header }), await send(world, path, body, { header }));
        },
      ],
      [
        "header-then-body",
        `${says} with a key in the header and then in the body is done once.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const key = world.uuid();
          expectSame(
            await send(world, path, body, { header: key }),
            await send(world, path, body, { inBody: key }),
            idAt,
          );
        },
      ],
      [
        "header-wins",
        `${says} with a key in the header and another in the body has the header's key.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const header = world.uuid();
          const first = await send(world, path, body, { header, inBody: world.uuid() });
          expectSame(first, await send(world, path, body, { header, inBody: world.uuid() }), idAt);
        },
      ],
      [
        "empty-header",
        `${says} with an empty header Idempotency-Key has the body's key: the nonempty one wins.`,
        async (world) => {
          const { path, body } = await prepare(world);
          const inBody = world.uuid();
          const first = await send(world, path, body, { header: "", inBody });
          expectSame(first, await send(world, path, body, { inBody }), idAt);
        },
      ],
      [
        "header-reused",
        `${says} with the header's key of a different request is 422.`,
        async (world) => {
          const { path, body, other } = await prepare(world);
          const header = world.uuid();
          expectStatus(await send(world, path, body, { header }), 200, 201, 202);
          expectRefused(await send(world, path, other, { header }), 422, "idempotency_key_reused");
        },
      ],
      [
        "body-reused",
        `${says} with the body's key of a different request is 422.`,
        async (world) => {
          const { path, body, other } = await prepare(world);
          const inBody = world.uuid();
          expectStatus(await send(world, path, body, { inBody }), 200, 201, 202);
          expectRefused(await send(world, path, other, { inBody }), 422, "idempotency_key_reused");
        },
      ],
      [
        "header-too-long",
        `${says} with a key above ${MAX_KEY_CHARS} characters in the header is 400.`,
        async (world) => {
          const { path, body } = await prepare(world);
          expectRefused(await send(world, path, body, { header: tooLong }), 400, "invalid_request");
        },
      ],
      ...(makes
        ? [
            [
              "none",
              `${says} twice without a key is done twice.`,
              async (world: World) => {
                const { path, body } = await prepare(world);
                const [first, second] = [
                  await send(world, path, body, {}),
                  await send(world, path, body, {}),
                ];
                expectStatus(second, first.status);
                expectThat(
                  textOf(first, idAt ?? "id") !== textOf(second, idAt ?? "id"),
                  "another id",
                  second,
                );
              },
            ] as const,
          ]
        : []),
    ]),
  ),
  ...statementsOf("4.6 rule 7", { prefix: "key", needs: ["workspaces"] }, [
    [
      "of-account",
      "A key of one account is not the key of another one.",
      async (world) => {
        const header = world.uuid();
        const ask = { method: "POST", path: "/v1/workspaces", headers: { "idempotency-key": header } };
        const mine = world.made(await world.ask({ ...ask, json: named(world) }));
        world.atEnd(`workspace ${mine}`, () => world.send("DELETE", `/v1/workspaces/${mine}`, undefined));
        const answer = await world.ask({ ...ask, json: named(world), as: "other" });
        const theirs = world.made(answer);
        world.atEnd(`workspace ${theirs}`, () =>
          world.send("DELETE", `/v1/workspaces/${theirs}`, undefined, "other"),
        );
        expectThat(mine !== theirs, "another workspace", answer);
      },
      ["another_account"],
    ],
    [
      "of-workspace",
      "A key in one workspace is not the key in another one.",
      async (world) => {
        const header = world.uuid();
        const groups = async (id: string) =>
          await send(world, `/v1/workspaces/${id}/task-groups`, { name: "a" }, { header });
        const first = expectStatus(await groups(await makeWorkspace(world)), 201);
        const second = expectStatus(await groups(await makeWorkspace(world)), 201);
        expectThat(textOf(first, "id") !== textOf(second, "id"), "another task group", second);
      },
    ],
    [
      "of-route",
      "A key of one route is not the key of another one.",
      async (world) => {
        const header = world.uuid();
        const of = await at(world);
        expectStatus(await send(world, `${of}/task-groups`, { name: "a" }, { header }), 201);
        expectStatus(await send(world, `${of}/threads`, {}, { header }), 201);
      },
    ],
    [
      "after-refusal",
      "A key of a request that was refused is taken for another one.",
      async (world) => {
        const workspaceId = await makeWorkspace(world);
        const header = world.uuid();
        const path = `/v1/workspaces/${workspaceId}/changesets`;
        const copyId = await makeCopy(world, workspaceId);
        const files = `/v1/workspaces/${workspaceId}/copies/${copyId}/files`;
        expectStatus(await put(world, files, { path: "x.txt", content: "x" }), 201);
        const body = { working_copy_id: copyId, title: "a" };
        expectRefused(await send(world, path, body, { header }), 409, "copy_unsaved");
        await world.finished(
          await world.post(`/v1/workspaces/${workspaceId}/checkpoints`, { working_copy_id: copyId }),
        );
        expectStatus(await send(world, path, body, { header }), 201);
      },
      ["files"],
    ],
  ]),
];
