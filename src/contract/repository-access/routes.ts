// The routes of repository accesses. Pure.

import { accounts, defineRoute, jsonBody, nounRoutes, owners } from "../route.ts";
import { putRepositoryAccessSchema, repositoryAccessSchema } from "./repository-access.ts";

const MAX_BODY_BYTES = 1024;

export const repositoryAccessRoutes = nounRoutes("repositoryAccess", "Agents", {
  get: defineRoute("GET /v1/agents/{agentID}/repository-access", {
    callers: accounts,
    repeat: "safe",
    answer: repositoryAccessSchema,
    summary: "Read how an agent's repository is read without a job",
    scopes: ["agents:read"],
    answers: { 200: "The access." },
  }),
  put: defineRoute("PUT /v1/agents/{agentID}/repository-access", {
    callers: owners,
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
    repeat: "safe",
    answer: repositoryAccessSchema,
    summary: "Take the service's access to an agent's repository away",
    description:
      "Only the owner's key may. The private key is deleted; remove the public key, or the App's installation, at the code host too. Runs work on what jobs send again. Safe to repeat.",
    answers: { 200: "The access, which is `none`." },
  }),
});
