// Every route that the specification lists for workspaces is in the table, with its method and path exactly.

import { describe, expect, it } from "vitest";
import type { Route } from "../../../src/contract/route.ts";
import { routes } from "../../../src/contract/routes.ts";
import { workspaceNounRoutes } from "../../../src/contract/workspaces/routes.ts";

const W = "/v1/workspaces/{workspaceID}";
const FILES = [
  "GET list",
  "GET stat",
  "GET read",
  "GET download",
  "PUT write",
  "POST upload",
  "POST delete",
  "POST restore",
  "POST empty-trash",
  "POST download-url",
];

/** `GET,POST /path` is two routes. */
const specified: readonly string[] = [
  "GET,POST /v1/workspaces",
  "GET /v1/workspaces/by-agent/{agentID}",
  `GET,PATCH,DELETE ${W}`,
  `GET,POST ${W}/members`,
  `DELETE ${W}/members/{memberID}`,
  `GET,POST ${W}/threads`,
  `GET,POST ${W}/runs`,
  `GET ${W}/costs`,
  `GET,POST ${W}/context-items`,
  `DELETE ${W}/context-items/{contextItemID}`,
  `POST ${W}/storage/adopt`,
  `GET ${W}/storage/adoption`,
  `POST ${W}/storage/adoption/cancel`,
  `POST ${W}/storage/adoption/rollback`,
  `POST ${W}/checkpoints`,
  `GET,POST ${W}/copies`,
  `GET,DELETE ${W}/copies/{workingCopyID}`,
  `GET ${W}/revisions`,
  `GET,DELETE ${W}/revisions/{revisionID}`,
  `GET ${W}/operations/{operationID}`,
  `GET ${W}/retention`,
  `POST ${W}/retention/pins`,
  `DELETE ${W}/retention/pins/{pinID}`,
  `GET ${W}/review-actions/{actionID}`,
  `GET,POST ${W}/changesets`,
  `GET ${W}/changesets/{changesetID}`,
  ...["reject", "accept", "resolve"].map((act) => `POST ${W}/changesets/{changesetID}/${act}`),
  ...FILES.slice(0, 4).map((file) => file.replace(" ", ` ${W}/revisions/{revisionID}/files/`)),
  ...FILES.map((file) => file.replace(" ", ` ${W}/copies/{workingCopyID}/files/`)),
  ...FILES.map((file) => file.replace(" ", ` ${W}/files/`)),
  `GET,POST ${W}/workers`,
  `GET ${W}/workers/{workerRequestID}`,
  `GET,POST ${W}/task-groups`,
  "GET /v1/task-groups/{taskGroupID}",
  "GET /v1/task-groups/{taskGroupID}/costs",
  "POST /v1/task-groups/{taskGroupID}/stop",
  `GET,PUT ${W}/site`,
  `POST ${W}/site/open`,
  `GET ${W}/inbound-email`,
  `GET,POST ${W}/schedules`,
  `GET,DELETE ${W}/schedules/{scheduleID}`,
  `GET ${W}/workflows`,
  `PUT,DELETE ${W}/workflows/{workflowID}`,
].flatMap((line) => {
  const [methods = "", path = ""] = line.split(" ");
  return methods.split(",").map((method) => `${method} ${path}`);
});

const served: readonly Route[] = Object.values(workspaceNounRoutes).flatMap((ofNoun) =>
  Object.values(ofNoun),
);

describe("the routes of workspaces", () => {
  it("are the 83 of the specification, and its two of an agent's life", () => {
    expect(specified).toHaveLength(83);
    const names = served.map(({ method, path }) => `${method} ${path}`);
    expect(specified.filter((route) => !names.includes(route))).toEqual([]);
    const ofAgents = Object.values(routes.agents).map(({ method, path }) => `${method} ${path}`);
    expect(ofAgents).toEqual(
      expect.arrayContaining(["stop", "retire"].map((act) => `POST /v1/agents/{agentID}/${act}`)),
    );
  });

  it("take no capability of a CI job; one address of a file is for whoever has it", () => {
    const open = served.filter(
      ({ callers }) => callers.some((caller) => caller === "job") || callers.length === 0,
    );
    expect(open.map(({ operationId }) => operationId)).toEqual(["downloadsGet"]);
  });
});
