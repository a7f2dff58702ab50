// Access to an agent's repository for runs whose commit no job has sent. Pure.

import * as z from "zod/mini";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object, strictObject } from "./field.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, owners } from "./route.ts";
import { AGENT_ID } from "./story.ts";

/** Kinds of access that an owner may choose. Where nothing is chosen, the jobs send the commits. */
export const chosenAccessKinds = ["deploy_key", "github_app"] as const;
export type ChosenAccessKind = (typeof chosenAccessKinds)[number];
export const accessKinds = ["none", ...chosenAccessKinds] as const;

export const repositoryAccessSchema = object({
  agent_id: field(z.uuid(), "The agent."),
  kind: field(
    z.enum(accessKinds),
    "`none`: it works on what jobs have sent. `deploy_key`: git over ssh, with a read-only key of the repository. `github_app`: git over https, with an installation token of the operator's GitHub App.",
  ),
  url: field(z.optional(z.string()), "Where the repository is fetched from; absent with `none`."),
  public_key: field(
    z.optional(z.string()),
    "The public half of the deploy key. Add it to the repository, without write access.",
  ),
  fingerprint: field(
    z.optional(z.string()),
    "The SHA-256 fingerprint of the deploy key, as code hosts show it.",
  ),
  created_at: field(z.optional(z.iso.datetime()), "When the owner chose it; absent with `none`."),
  fault: field(
    z.optional(z.string()),
    "Why it cannot be used now, and what to do; absent where nothing is known to hinder it.",
  ),
});
/** How the service reads an agent's repository for runs that no job asks for. */
export type RepositoryAccess = z.infer<typeof repositoryAccessSchema>;

export const putRepositoryAccessSchema = strictObject({
  kind: field(
    z.enum(chosenAccessKinds, `must be one of: ${chosenAccessKinds.join(", ")}`),
    "`deploy_key` or `github_app`. Chosen again, a deploy key stays the same: delete the access first for a new one.",
  ),
});

export const repositoryAccessComponents: Components = {
  RepositoryAccess: component(
    repositoryAccessSchema,
    "How the service reads an agent's repository for runs that no job asks for.",
  ),
  PutRepositoryAccessRequest: component(putRepositoryAccessSchema, "The access that the owner chooses."),
};

const MAX_BODY_BYTES = 1024;

export const repositoryAccessRoutes = nounRoutes("repositoryAccess", "Agents", {
  get: defineRoute("GET /v1/agents/{agentID}/repository-access", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: repositoryAccessSchema,
    summary: "Read how an agent's repository is read without a job",
    scopes: ["agents:read"],
    answers: { 200: "The access." },
  }),
  put: defineRoute("PUT /v1/agents/{agentID}/repository-access", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: repositoryAccessSchema,
    summary: "Let the service read an agent's repository without a job",
    description:
      "Only the owner's key may. Runs that no job asks for then work on the newest commit of the default branch at the code host. `deploy_key` makes a key pair: the answer has the public key, to be added to the repository without write access; the private key is kept sealed, and nobody gets it. `github_app` needs the operator's GitHub App, installed on the repository. Another kind takes the place of the one before, and deletes its key. 409 `repository_access_unavailable` where this service cannot do it, with what its operator sets. Safe to repeat.",
    body: jsonBody(putRepositoryAccessSchema, MAX_BODY_BYTES),
    answers: { 200: "The access." },
    refusals: [409],
  }),
  delete: defineRoute("DELETE /v1/agents/{agentID}/repository-access", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: repositoryAccessSchema,
    summary: "Take the service's access to an agent's repository away",
    description:
      "Only the owner's key may. The private key is deleted; remove the public key, or the App's installation, at the code host too. Runs work on what jobs send again. Safe to repeat.",
    answers: { 200: "The access, which is `none`." },
  }),
});

const access = {
  agent_id: AGENT_ID,
  kind: "deploy_key" as const,
  url: "ssh://git@github.com/octo-org/hello-world.git",
  public_key: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGNoYW5nZWQgZm9yIHRoZSBkb2N1bWVudGF0aW9uIDE agent-service ${AGENT_ID}`,
  fingerprint: "SHA256:Q2jW1nmQ3Hn4Y8mE0lFz6m3oYx0oWcX2v7cJ9rKq5sU",
  created_at: "2026-03-09T10:06:30.000Z",
};
const none = { agent_id: AGENT_ID, kind: "none" as const };

export const repositoryAccessExamples: ExamplesOf<typeof repositoryAccessRoutes> = {
  get: {
    answers: {
      200: {
        deployKey: { summary: "A deploy key", value: access },
        noAccess: { summary: "Jobs send the commits", value: none },
      },
    },
  },
  put: {
    body: { putDeployKey: { summary: "A deploy key", value: { kind: "deploy_key" } } },
    answers: { 200: { deployKeyMade: { summary: "The key to add to the repository", value: access } } },
  },
  delete: { answers: { 200: { accessTaken: { summary: "Jobs send the commits again", value: none } } } },
};
