// Examples of repository accesses. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID } from "../story.ts";
import type { repositoryAccessRoutes } from "./routes.ts";

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
