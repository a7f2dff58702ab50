// Callers by their credentials: each route without one, with a wrong one, with another account's, and for things that nobody
// has.

import { LATER, NO_ID } from "../kit/beginnings.ts";
import { expectRefused, expectStatus, expectThat } from "../kit/expect.ts";
import { fill, isOfFiles, nameOf, parametersOf, type RouteFact, routes } from "../kit/routes.ts";
import type { Need, Statement } from "../kit/statement.ts";
import { accountOf, type Ids, scheduledAgentOf, workspaceOf } from "../kit/things.ts";
import type { World, WorldCaller } from "../kit/world.ts";

/** As a key is spelled, and nobody's. */
const WRONG_KEY = `svc_sk_${"A".repeat(49)}`;

const guarded = routes.filter(({ callers }) => callers !== "everybody");
const addressed = guarded.filter((route) => parametersOf(route).length > 0);
/** Parameters that address an owner's resource. Runs, workers and review actions are asked for elsewhere: they need a run. */
const KNOWN = new Set([
  "agentID",
  "scheduleID",
  "userID",
  "workspaceID",
  "memberID",
  "revisionID",
  "workingCopyID",
  "changesetID",
  "operationID",
  "pinID",
  "contextItemID",
  "taskGroupID",
  "workflowID",
  "id",
]);
const owned = addressed.filter((route) => parametersOf(route).every((name) => KNOWN.has(name)));

/** Something below a workspace or an agent. A workflow is written under an id that nothing has. */
const parts = addressed.filter(
  (route) =>
    parametersOf(route).length === 2 && !(route.method === "PUT" && route.path.endsWith("{workflowID}")),
);
/** Of those, what both accounts have. */
const sharedParts = parts.filter((route) => owned.includes(route));

export const credentials: readonly Statement[] = [
  ...guarded.map(
    (route): Statement => ({
      id: `no-credential/${nameOf(route)}`,
      section: "5 rule 4",
      says: `${nameOf(route)} answers 401 without a credential.`,
      check: async (world) => {
        const answer = await callRoute(world, route, { path: fill(route, {}, NO_ID), as: "nobody" });
        expectRefused(answer, 401, "unauthorized");
      },
    }),
  ),
  ...guarded.map(
    (route): Statement => ({
      id: `wrong-credential/${nameOf(route)}`,
      section: "5 rule 4",
      says: `${nameOf(route)} answers 401 to a key that nobody has.`,
      check: async (world) => {
        const path = fill(route, {}, NO_ID);
        expectRefused(await callRoute(world, route, { path, bearer: WRONG_KEY }), 401, "unauthorized");
      },
    }),
  ),
  ...owned.map(
    (route): Statement => ({
      id: `another-account/${nameOf(route)}`,
      section: "5 rule 4",
      says: `${nameOf(route)} answers 403 for what belongs to another account.`,
      needs: ["another_account", ...needsOf(route)],
      check: async (world) => {
        const answer = await callRoute(world, route, {
          path: fill(route, await idsOf(world, route, "other")),
        });
        expectRefused(answer, 403, "forbidden");
      },
    }),
  ),
  ...addressed
    .filter(({ path }) => !path.includes("{userID}"))
    .map(
      (route): Statement => ({
        id: `unknown-id/${nameOf(route)}`,
        section: "7",
        says: `${nameOf(route)} answers 404 for an id that nothing has.`,
        needs: needsOf(route),
        check: async (world) => {
          const answer = await callRoute(world, route, { path: fill(route, {}, NO_ID) });
          expectRefused(answer, 404);
        },
      }),
    ),
  ...parts.map(
    (route): Statement => ({
      id: `unknown-part/${nameOf(route)}`,
      section: "7",
      says: `${nameOf(route)} answers 404 for an unknown part of what the caller owns.`,
      needs: needsOf(route),
      check: async (world) => {
        const [first = ""] = parametersOf(route);
        const ids = await idsOf(world, route, "owner");
        const path = fill(route, { [first]: ids[first] ?? "" }, NO_ID);
        expectRefused(await callRoute(world, route, { path }), 404);
      },
    }),
  ),
  ...sharedParts.map(
    (route): Statement => ({
      id: `part-of-another-account/${nameOf(route)}`,
      section: "5 rule 4",
      says: `${nameOf(route)} answers 404 for what is another account's, addressed below what is the caller's.`,
      needs: ["another_account", ...needsOf(route)],
      check: async (world) => {
        const [first = "", second = ""] = parametersOf(route);
        const [mine, theirs] = [await idsOf(world, route, "owner"), await idsOf(world, route, "other")];
        const path = fill(route, { [first]: mine[first] ?? "", [second]: theirs[second] ?? "" });
        expectRefused(await callRoute(world, route, { path }), 404);
      },
    }),
  ),
  ...addressed.map(
    (route): Statement => ({
      id: `no-id/${nameOf(route)}`,
      section: "7",
      says: `${nameOf(route)} refuses text that is no id, and does not fail on it.`,
      needs: needsOf(route),
      check: async (world) => {
        const answer = await callRoute(world, route, { path: fill(route, {}, "no%00id") });
        expectStatus(expectRefused(answer, [400, 403, 404]), 400, 403, 404);
        expectThat(!answer.text.includes("\0"), "a refusal that does not repeat control characters", answer);
      },
    }),
  ),
];

/** A request that the route takes, as far as its form goes. */
async function callRoute(
  world: World,
  route: RouteFact,
  call: { readonly path: string; readonly as?: WorldCaller; readonly bearer?: string },
) {
  const { path, as, bearer } = call;
  const isUpload = route.body === "bytes";
  const takesPath = isOfFiles(route) && (route.method === "GET" || isUpload) ? "?path=a.txt" : "";
  return await world.ask({
    method: route.method,
    path: path + takesPath,
    ...(as === undefined ? {} : { as }),
    ...(bearer === undefined ? {} : { bearer }),
    headers: {
      "idempotency-key": world.uuid(),
      ...(isUpload ? { "content-type": "application/octet-stream" } : {}),
    },
    ...(isUpload ? { raw: "bytes" } : {}),
    ...(route.body === "json" || route.body === "optional_json" ? { json: bodyFor(route) } : {}),
  });
}

/** A body that is right in its form, so that only the credential or the id is wrong. */
function bodyFor({ path }: RouteFact): unknown {
  const [, body] = bodies.find(([pattern]) => pattern.test(path)) ?? [];
  return body ?? {};
}

const file = { path: "a.txt" };
const decision = { expected_current_revision: NO_ID, validation_evidence: "Read." };
const bodies: readonly (readonly [RegExp, unknown])[] = [
  [/\/v1\/agents$/, { name: "conform" }],
  [/\/v1\/agents\/\{agentID\}$/, { advisor_max_spend_micro_usd: null }],
  [/\/runs$/, { message: "hello" }],
  [/\/schedules$/, LATER],
  [/\/ci\/claim$/, { claim: "nobody's" }],
  [/\/members$/, { agent_id: NO_ID }],
  [/\/context-items$/, { content: "Short." }],
  [/\/storage\/adopt$/, { agent_id: NO_ID }],
  [/\/retention\/pins$/, { revision_id: NO_ID, reason: "conform" }],
  [/\/changesets$/, { working_copy_id: NO_ID, title: "conform" }],
  [/\/accept$/, decision],
  [/\/resolve$/, { ...decision, resolved_revision_id: NO_ID }],
  [/\/files\/write$/, { ...file, content: "x" }],
  [/\/files\/(delete|restore|download-url)$/, file],
  [/\/workers$/, { task_group_id: NO_ID, message: "hello" }],
  [/\/task-groups$/, { name: "conform" }],
  [/\/workflows\/\{workflowID\}$/, { name: "conform", prompt: "Look." }],
  [/\/v1\/workspaces\/\{workspaceID\}$/, { name: "conform" }],
];

function needsOf(route: RouteFact): readonly Need[] {
  if (isOfFiles(route) || route.path.includes("{changesetID}")) return ["workspaces", "files"];
  return route.section === "4.6" || route.path.includes("/workflows/") ? ["workspaces"] : [];
}

async function idsOf(world: World, route: RouteFact, as: WorldCaller): Promise<Ids> {
  if (route.path.startsWith("/v1/users")) return { userID: await accountOf(world, as) };
  if (route.section === "4.6" || route.path.includes("/workflows/")) return await workspaceOf(world, as);
  return await scheduledAgentOf(world, as);
}
