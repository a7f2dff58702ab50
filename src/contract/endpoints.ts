// The endpoints that a client knows before its first request, by noun: derived from the routes, without their texts. In bundles
// it is data, with an import of the schema at the first answer: scripts/contract-in-bundles.ts. Pure.
// Why: docs/decisions/131-bundles-take-of-the-contract-what-they-use.md

import type * as z from "zod/mini";
import type { Address, NounRoutes, Route, RouteDetail, RouteTable } from "./route.ts";
import { routes } from "./routes.ts";
import { workspaceNounRoutes } from "./workspaces/routes.ts";

/** Loads the schema of an answer in JSON. */
export type JsonAnswer<Schema extends z.ZodMiniType = z.ZodMiniType> = () => Promise<Schema>;

export type Endpoint = Address &
  Pick<RouteDetail, "repeat"> & {
    /** Whether the request carries no credential. */
    readonly isPublic: boolean;
    readonly answer: JsonAnswer | Exclude<RouteDetail["answer"], z.ZodMiniType>;
  };

type EndpointOf<One extends Route> = Pick<One, "method" | "path" | "repeat"> & {
  readonly isPublic: boolean;
  readonly answer: One["answer"] extends z.ZodMiniType ? JsonAnswer<One["answer"]> : One["answer"];
};

type EndpointsOf<Routes extends NounRoutes> = {
  readonly [Name in keyof Routes]: EndpointOf<Routes[Name]>;
};

export const {
  ci,
  commits,
  claims,
  agents,
  repositoryAccess,
  runs,
  schedules,
  workflows,
  approvals,
  writeGrants,
  runIdentity,
  questions,
  account,
  accountMembers,
  invitations,
  connections,
  credits,
  pricing,
  sessions,
  operation,
  agUi,
  workspaces,
  copies,
  revisions,
  operations,
  adoption,
  members,
  site,
  inboundEmail,
  workspaceSchedules,
  workspaceWorkflows,
  threads,
  workspaceRuns,
  contextItems,
  files,
  copyFiles,
  revisionFiles,
  downloads,
  retention,
  changesets,
  reviewActions,
  workers,
  taskGroups,
} = endpointsOf(routes);

/** Addresses of the routes of workspaces, by noun and name. */
export const workspaceAddresses: Readonly<Record<string, Readonly<Record<string, Address>>>> = mapRoutes(
  workspaceNounRoutes,
  ({ method, path }) => ({ method, path }),
);

function endpointsOf<Table extends RouteTable>(table: Table) {
  const endpoints = mapRoutes(table, ({ method, path, callers, repeat, answer }) => ({
    method,
    path,
    repeat,
    isPublic: callers.length === 0,
    answer: typeof answer === "string" ? answer : async () => answer,
  }));
  return endpoints as unknown as { readonly [Noun in keyof Table]: EndpointsOf<Table[Noun]> };
}

function mapRoutes<Value>(
  table: RouteTable,
  describe: (route: Route) => Value,
): Readonly<Record<string, Readonly<Record<string, Value>>>> {
  const nouns = Object.entries(table).map(([noun, ofNoun]) => [
    noun,
    Object.fromEntries(Object.entries(ofNoun).map(([name, route]) => [name, describe(route)])),
  ]);
  return Object.fromEntries(nouns);
}
