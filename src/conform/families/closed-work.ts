// The gate of new work in workspaces (4.6): where it is closed nothing is begun, and existing things are read.

import { NO_ID } from "../kit/beginnings.ts";
import { expectRefused, expectStatus, listOf } from "../kit/expect.ts";
import { fill, nameOf, type RouteFact, routes } from "../kit/routes.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

const needs = ["closed_workspaces"] as const;
/** Routes below a workspace: none can be made here, so that each is asked of one that there is not. */
const below = routes.filter(({ path }) => path.startsWith("/v1/workspaces/{workspaceID}/"));

async function askNothing(world: World, route: RouteFact) {
  const names = route.path.split("/").filter((part) => part.startsWith("{"));
  const ids = Object.fromEntries(names.map((name) => [name.slice(1, -1), NO_ID]));
  const hasPath = /\/files\/(list|stat|read|download)$/.test(route.path);
  const path = `${fill(route, ids)}${hasPath ? "?path=a.txt" : ""}`;
  return await world.ask({ method: route.method, path });
}

export const closedWork: readonly Statement[] = [
  ...statementsOf("4.6", { prefix: "closed-work", needs }, [
    [
      "create",
      "A workspace is not made where new work is closed: 403.",
      async (world) => {
        const answer = await world.post("/v1/workspaces", { name: world.name("closed") });
        expectRefused(answer, 403, "workspaces_not_admitted");
      },
    ],
    [
      "create-again",
      "A workspace is not made by a key that is sent again where new work is closed: 403.",
      async (world) => {
        const headers = { "idempotency-key": world.uuid() };
        const ask = { method: "POST", path: "/v1/workspaces", headers, json: { name: world.name("closed") } };
        expectRefused(await world.ask(ask), 403, "workspaces_not_admitted");
        expectRefused(await world.ask(ask), 403, "workspaces_not_admitted");
      },
    ],
    [
      "list",
      "The workspaces of an account are listed where new work is closed.",
      async (world) => {
        listOf(expectStatus(await world.get("/v1/workspaces"), 200), "items");
      },
    ],
    [
      "get",
      "A workspace that there is not is 404 where new work is closed.",
      async (world) => void expectRefused(await world.get(`/v1/workspaces/${NO_ID}`), 404, "not_found"),
    ],
    [
      "delete",
      "Deleting a workspace is not closed with new work: 404 where there is none.",
      async (world) =>
        void expectRefused(
          await world.send("DELETE", `/v1/workspaces/${NO_ID}`, undefined),
          404,
          "not_found",
        ),
    ],
    [
      "by-agent",
      "The workspaces of an agent that there is not are 404 where new work is closed.",
      async (world) =>
        void expectRefused(await world.get(`/v1/workspaces/by-agent/${NO_ID}`), 404, "not_found"),
    ],
  ]),
  ...below
    .filter(({ method }) => method === "GET" || method === "DELETE")
    .map(
      (route): Statement => ({
        id: `closed-work/${nameOf(route)}`,
        section: "4.6",
        says: `${nameOf(route)} is served where new work is closed: 404 of a workspace that there is not.`,
        needs,
        check: async (world) => void expectRefused(await askNothing(world, route), 404, "not_found"),
      }),
    ),
];
