// Examples of a CI job's requests: the exchange and its run's events. Credentials are cut short. Pure.

import type { ExamplesOf } from "../examples.ts";
import { completedRun, runningRun, storedEvents } from "../runs/examples.ts";
import { ACCOUNT_ID, AGENT_ID, repository } from "../story.ts";
import { ACCESS_TOKEN_TYPE, CAPABILITY_SCOPE, ID_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT } from "./exchange.ts";
import type { ciRoutes, commitRoutes } from "./routes.ts";

const exchanged = {
  access_token: "svc_ci_…",
  issued_token_type: ACCESS_TOKEN_TYPE,
  token_type: "Bearer" as const,
  expires_in: 900,
  scope: CAPABILITY_SCOPE,
  agent_id: AGENT_ID,
  repository,
};

const pushReport = {
  conclusion: "success",
  title: "Pushed 7fd1a60 to fix-parser",
  pushed: {
    branch: "fix-parser",
    sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
    url: "https://github.com/octo-org/hello-world/commit/7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
  },
  comment_url: "https://github.com/octo-org/hello-world/issues/128#issuecomment-1",
};

export const ciExamples: ExamplesOf<typeof ciRoutes> = {
  audience: {
    answers: {
      200: {
        audience: { summary: "What the token's `aud` must be", value: { audience: "agent-service.example" } },
      },
    },
  },
  exchange: {
    body: {
      exchangeToken: {
        summary: "A job's token",
        value: {
          subject_token: "eyJhbGciOiJSUzI1NiIs…",
          subject_token_type: ID_TOKEN_TYPE,
          grant_type: TOKEN_EXCHANGE_GRANT,
        },
      },
      exchangeTokenForAccount: {
        summary: "The job also names the account whose claim it accepts",
        value: { subject_token: "eyJhbGciOiJSUzI1NiIs…", account: ACCOUNT_ID },
      },
    },
    answers: {
      200: {
        exchangedFree: {
          summary: "On the free credits of a public repository",
          value: {
            ...exchanged,
            quota: { audience: "anon", credits_remaining: 50, resets_at: "2026-03-10T00:00:00.000Z" },
            claim_url: null,
          },
        },
        exchangedClaimed: {
          summary: "On an account, which owns the agent since now",
          value: {
            ...exchanged,
            quota: {
              audience: "subscribed",
              credits_remaining: 1_840,
              resets_at: "2026-04-01T00:00:00.000Z",
            },
            claim_url: null,
            claim: "claimed",
          },
        },
      },
    },
  },
  revoke: {},
  identity: {
    answers: {
      200: {
        identity: {
          summary: "A push to a public repository that nobody has claimed",
          value: {
            provider: "github",
            issuer: "https://token.actions.githubusercontent.com",
            audience: "agent-service.example",
            repository,
            event: "push",
            ref: "refs/heads/main",
            base_ref: null,
            sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
            run_id: "9876543210",
            run_attempt: "1",
            actor_id: "583231",
            workflow: ".github/workflows/agent.yml@refs/heads/main",
            agent_id: AGENT_ID,
            claim: "unclaimed",
            expires_at: "2026-03-09T10:15:00.000Z",
            quota: { audience: "anon", credits_remaining: 50, resets_at: "2026-04-01T00:00:00.000Z" },
          },
        },
      },
    },
  },
  readRun: {
    answers: {
      200: {
        runEvents: {
          summary: "Everything of a run that has ended",
          value: { run: completedRun, events: storedEvents, next: storedEvents.length, done: true },
        },
        runEventsNone: {
          summary: "Nothing new in the time that was waited",
          value: { run: runningRun, events: [], next: 4, done: false },
        },
      },
    },
  },
  linkPage: {
    answers: {
      200: {
        pageShared: {
          summary: "A public repository's run",
          value: {
            page_url: `https://agent-service.example/agent/${AGENT_ID}/runs/${completedRun.id}?view=svc_rv_…`,
            shared: true,
          },
        },
        pageOfOwner: {
          summary: "A private repository's run",
          value: {
            page_url: `https://agent-service.example/agent/${AGENT_ID}/runs/${completedRun.id}`,
            shared: false,
          },
        },
      },
    },
  },
  renewMcpAccess: {
    body: {
      renewMcpAccess: {
        summary: "Newer tokens",
        value: {
          mcp_access: {
            docs: { access_token: "mcp-at-...", expires_at: "2026-03-09T11:30:00.000Z" },
          },
        },
      },
    },
  },
  renewModelAccess: {
    body: {
      renewModelAccess: {
        summary: "A newer token of the same provider",
        value: { access_token: "sk-ant-oat01-...", expires_at: "2026-03-09T11:30:00.000Z" },
      },
    },
  },
  reportDelivery: {
    body: {
      reportPush: { summary: "It pushed a commit", value: pushReport },
      reportReview: {
        summary: "It reviewed a pull request",
        value: {
          conclusion: "success",
          title: "2 findings, 1 error",
          pull_request: { number: 131, url: "https://github.com/octo-org/hello-world/pull/131" },
          check_run: {
            url: "https://github.com/octo-org/hello-world/runs/4711",
            conclusion: "neutral",
          },
          findings: { pull_request: 131, new: 1, open: 1, fixed: 3, declined: 1, withdrawn: 0 },
        },
      },
    },
    answers: {
      200: {
        deliveryReported: {
          summary: "It is kept",
          value: { state: "reported", at: "2026-03-09T10:00:47.000Z", ...pushReport },
        },
      },
    },
  },
};

const SHA = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d";

export const commitExamples: ExamplesOf<typeof commitRoutes> = {
  find: {
    answers: {
      200: {
        commitHeldBefore: {
          summary: "An earlier commit is held: a thin pack suffices",
          value: {
            sha: SHA,
            present: false,
            have: [
              {
                sha: "553c2077f0edc3d5dc5d17262f6aa498e69d6f8e",
                shallow: ["762941318ee16e59dabbacb1b4049eec22f0d303"],
              },
            ],
            max_bytes: 1_000_000_000,
            history: 50,
          },
        },
        commitPresent: {
          summary: "It is held already",
          value: { sha: SHA, present: true, have: [], max_bytes: 1_000_000_000, history: 50 },
        },
      },
    },
  },
  send: {
    answers: {
      201: {
        commitSent: { summary: "It is held now", value: { sha: SHA, objects: 12, bytes: 18_432 } },
      },
    },
  },
};
