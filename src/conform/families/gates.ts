// The gate of files (4.6): where it is closed nothing of a file is served, written or linked, and routes that clean up stay
// open.

import { LATER } from "../kit/beginnings.ts";
import { expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { fill, isOfFiles, nameOf, type RouteFact, routes } from "../kit/routes.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { currentRevision, type Ids, makeAgent, makeCopy, makeWorkspace } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const needs = ["workspaces", "closed_files"] as const;
const FILE = { path: "gate.txt", content: "x" };

/** A workspace without files: nobody could write one. */
async function gated(world: World): Promise<Ids> {
  return await world.once("gated workspace", async () => {
    const workspaceID = await makeWorkspace(world);
    const [workingCopyID, revisionID] = [
      await makeCopy(world, workspaceID),
      await currentRevision(world, workspaceID),
    ];
    return { workspaceID, workingCopyID, revisionID };
  });
}

async function of(world: World): Promise<string> {
  return `/v1/workspaces/${(await gated(world)).workspaceID}`;
}

async function askFile(world: World, route: RouteFact) {
  const isBytes = route.body === "bytes";
  const name = route.path.slice(route.path.lastIndexOf("/") + 1);
  const json = name === "write" ? FILE : { path: name === "restore" ? "trash/x" : FILE.path };
  const path = fill(route, await gated(world));
  return await world.ask({
    method: route.method,
    path: route.method === "GET" || isBytes ? `${path}?path=${name === "list" ? "" : FILE.path}` : path,
    ...(isBytes ? { raw: "x", headers: { "content-type": "application/octet-stream" } } : {}),
    ...(route.body === "json" ? { json } : {}),
  });
}

export const gates: readonly Statement[] = [
  ...routes.filter(isOfFiles).map(
    (route): Statement => ({
      id: `gate/${nameOf(route)}`,
      section: "4.6",
      says: `${nameOf(route)} is 403 where the files of workspaces are closed.`,
      needs,
      check: async (world) => void expectRefused(await askFile(world, route), 403, "workspaces_not_admitted"),
    }),
  ),
  ...statementsOf("4.6", { prefix: "gate", needs }, [
    [
      "bundle",
      "The bundle of a revision is 403 where the files of workspaces are closed.",
      async (world) => {
        const { revisionID } = await gated(world);
        expectRefused(
          await world.get(`${await of(world)}/revisions/${revisionID}/bundle`),
          403,
          "workspaces_not_admitted",
        );
      },
    ],
    ...[
      "copies",
      "members",
      "threads",
      "revisions",
      "changesets",
      "task-groups",
      "context-items",
      "retention",
    ].map(
      (list) =>
        [
          `list:${list}`,
          `The list of ${list} is read where files are closed: it has none of them.`,
          async (world: World) => void expectStatus(await world.get(`${await of(world)}/${list}`), 200),
        ] as const,
    ),
    [
      "new-work",
      "New work that needs no files is taken where they are closed: the two gates are apart.",
      async (world) => {
        expectStatus(await world.post(`${await of(world)}/task-groups`, { name: "gate" }), 201);
        expectStatus(await world.post(`${await of(world)}/threads`, {}), 201);
      },
    ],
    [
      "delete-copy",
      "A copy is deleted where files are closed.",
      async (world) => {
        const { workspaceID = "" } = await gated(world);
        const copyId = await makeCopy(world, workspaceID);
        await world.finished(await world.send("DELETE", `${await of(world)}/copies/${copyId}`, undefined));
      },
    ],
    [
      "delete-pin",
      "A pin is deleted where files are closed.",
      async (world) => {
        const path = `${await of(world)}/retention/pins`;
        const { revisionID: revision_id } = await gated(world);
        const id = world.made(await world.post(path, { revision_id, reason: "gate" }));
        expectStatus(await world.send("DELETE", `${path}/${id}`, undefined), 200);
      },
    ],
    [
      "remove-member",
      "A member is taken out where files are closed.",
      async (world) => {
        const path = `${await of(world)}/members`;
        const id = world.made(await world.post(path, { agent_id: await makeAgent(world) }));
        expectStatus(await world.send("DELETE", `${path}/${id}`, undefined), 200);
      },
    ],
    [
      "cancel-schedule",
      "A schedule of a workspace is cancelled where files are closed.",
      async (world) => {
        const path = `${await of(world)}/schedules`;
        const id = world.made(await world.post(path, LATER));
        expectStatus(await world.send("DELETE", `${path}/${id}`, undefined), 200);
      },
    ],
    [
      "delete-workflow",
      "A workflow of a workspace is deleted where files are closed.",
      async (world) => {
        const path = `${await of(world)}/workflows/${world.uuid()}`;
        expectStatus(await world.send("PUT", path, { name: "gate", prompt: "Look." }), 201);
        expectStatus(await world.send("DELETE", path, undefined), 200);
      },
    ],
    [
      "delete-context",
      "A context item is deleted where files are closed.",
      async (world) => {
        const path = `${await of(world)}/context-items`;
        const id = world.made(await world.post(path, { content: "x" }));
        expectStatus(await world.send("DELETE", `${path}/${id}`, undefined), 200);
      },
    ],
    [
      "take-site-away",
      "Taking a site away is not refused for closed files: 404 where there is none.",
      async (world) => {
        expectRefused(
          await world.send("PUT", `${await of(world)}/site`, { revision_id: null }),
          404,
          "not_found",
        );
      },
    ],
    [
      "cancel-adoption",
      "Cancelling an adoption is not refused for closed files: 404 where there is none.",
      async (world) => {
        expectRefused(
          await world.post(`${await of(world)}/storage/adoption/cancel`, undefined),
          404,
          "not_found",
        );
      },
    ],
    [
      "delete-workspace",
      "A workspace is deleted where files are closed.",
      async (world) => {
        const id = await makeWorkspace(world);
        const receipt = expectStatus(await world.send("DELETE", `/v1/workspaces/${id}`, undefined), 202);
        const operation = { workspace_id: id, id: textOf(receipt, "operation_id") };
        const answer = await world.finished({ ...receipt, json: operation });
        expectThat(answer.status === 200, "an operation that succeeds", answer);
      },
    ],
  ]),
];
