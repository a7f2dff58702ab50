// What the fields of the exchange, of a job's identity and of its run's events mean. Pure.

import { type Components, component } from "../component.ts";
import { commitStateSchema, sentCommitSchema } from "./commits.ts";
import {
  audienceResponseSchema,
  ciIdentitySchema,
  ciRepositorySchema,
  exchangeRequestSchema,
  exchangeResponseSchema,
  quotaSchema,
} from "./exchange.ts";
import { ciRunPageSchema, runPageLinkSchema } from "./run-page.ts";

export const ciComponents: Components = {
  AudienceResponse: component(audienceResponseSchema, "What a job mints its token for.", {
    audience: "What the token's `aud` must be.",
  }),
  ExchangeRequest: component(
    exchangeRequestSchema,
    "A job's token, by the names of RFC 8693.",
    {
      subject_token: "The job's OIDC token.",
      subject_token_type: "`urn:ietf:params:oauth:token-type:id_token`, or left out.",
      grant_type: "`urn:ietf:params:oauth:grant-type:token-exchange`, or left out.",
      account: "The account whose pending claim the job accepts.",
      claim_link:
        "`always`: the answer has a claim link wherever an account can claim the agent. Left out: only where the next run needs an account.",
      sha: "The commit that the job runs on. Read only where the provider's token names none.",
      default_branch:
        "The repository's default branch, without `refs/heads/`. The newest commit that a job sends of it is what runs work on that no job asks for.",
    },
    { required: ["subject_token"] },
  ),
  ExchangeResponse: component(exchangeResponseSchema, "A capability for one repository's agent.", {
    access_token: "The capability. Send it as the bearer credential.",
    issued_token_type: "`urn:ietf:params:oauth:token-type:access_token`.",
    token_type: "Always `Bearer`.",
    expires_in: "Seconds until it ends.",
    scope: "`ci:run`.",
    agent_id: "The repository's agent, which it may run.",
    repository: "The repository that the token named.",
    quota: "What the repository's owner has left.",
    claim_url:
      "Where an account claims the repository's agent. Null where there is nothing to claim, and, without `claim_link`, while the owner's free credits pay.",
    claim: "The state of the claim, as far as the job's `account` is concerned.",
  }),
  Repository: component(ciRepositorySchema, "A repository at its code host.", {
    provider: "The CI provider, such as `github`.",
    id: "The provider's numeric id. A rename does not change it.",
    owner_id: "The numeric id of its owner.",
    name: "`owner/name` when the token was made. A label, not a key.",
    visibility: "Who can read it.",
  }),
  Quota: component(quotaSchema, "What is left of a billing account's credits.", {
    audience: "Who pays: `anon` stands for the free credits of the repository's owner.",
    credits_remaining: "Whole credits.",
    resets_at: "When there are new ones.",
  }),
  CiIdentity: component(ciIdentitySchema, "A job as this service sees it: its verified claims.", {
    provider: "The CI provider.",
    issuer: "Who signed the token.",
    audience: "The audience that the token had.",
    repository: "The job's repository.",
    event: "What started the job.",
    ref: "The ref that the job runs on.",
    base_ref: "The branch that a pull request goes to; null for other events.",
    sha: "The commit that the job runs on.",
    run_id: "The provider's id of the workflow run.",
    run_attempt: "Its attempt.",
    actor_id: "The provider's id of who caused the event; null where the token has none.",
    workflow: "The workflow's file with its ref; null where the token has none.",
    agent_id: "The repository's agent.",
    claim: "Whether an account has claimed the agent, or waits for a job to accept its claim.",
    expires_at: "When the capability ends.",
    quota: "What the repository's owner, or its account, has left.",
  }),
  CommitState: component(commitStateSchema, "What the service holds of a commit.", {
    sha: "The commit.",
    present: "True where it is held: then nothing is to be sent.",
    have: [
      "Commits that a thin pack may build on, newest first; none where a whole pack is wanted.",
      {
        sha: "A commit that is held with its history.",
        shallow:
          "Where that history ends: the service does not hold all parents of these. Empty for all of it.",
      },
    ],
    max_bytes: "The most that a pack may have.",
    history: "Commits that a run reads at most, the commit itself included.",
  }),
  SentCommit: component(sentCommitSchema, "A commit that the service holds now.", {
    sha: "The commit.",
    objects: "Objects of the stored pack.",
    bytes: "Bytes of it, and of its index.",
  }),
  RunPageLink: component(runPageLinkSchema, "Where people read a run.", {
    page_url: "The address of the run's page.",
    shared: "True where everybody who has the address reads the run; false: only the agent's owner.",
  }),
  CiRunPage: component(ciRunPageSchema, "A page of a run's events.", {
    run: "The run as it stands.",
    events: "Events after the cursor, in their order.",
    next: "The cursor for the next request.",
    done: "True once the run has ended and every event was read.",
  }),
};
