// What each reason means, and what to do. Complete by type: a reason without a text does not compile. Pure.

import type { IdentityReason } from "../../src/ci/provider.ts";
import type { ClientErrorReason } from "../../src/client/errors.ts";
import type { ExchangeReason, ProblemCode } from "../../src/contract/problems/problem.ts";
import type { ParkReason, RunBound, RunCause, StopReason } from "../../src/contract/runs/run.ts";
import type { FederationReason } from "../../src/federation/federation-error.ts";
import type { DeclinedReason, PromptFileReason, StepReason } from "../../src/job/step-error.ts";
import type { JobReason, QuotaReason } from "../../src/report/conclusion.ts";
import type { KeptReason } from "../../src/report/delivery.ts";

type Texts<Reason extends string> = Readonly<Record<Reason, string>>;

export const jobTexts: Texts<JobReason> = {
  completed: "The run completed.",
  question:
    "The run ended with a question, which the reply states. Answer it where you asked: the session goes on. Nothing is pushed and no findings are published yet; changes are in the output `patch-file`, and the session keeps them.",
  no_model:
    "No model is configured: the run wrote a briefing of the repository, and is not charged. Give the step a model, or ask the service's operator for one.",
  run_cancelled: "`mode: cancel` or `/agent cancel` stopped what was in flight.",
  nothing_to_cancel: "`mode: cancel` or `/agent cancel` found nothing in flight.",
  examined: "`mode: doctor` found no fault.",
  checks_failed:
    "The run completed, and its tests, builds or linters fail since its last edit, with `fail-on: checks-failed`. The message names them.",
  findings_found:
    "The review found something as severe as `fail-on-severity`, or more, or what an earlier review found is still open.",
  findings_unread:
    "The findings of earlier reviews could not be read, so `fail-on-severity` keeps its gate shut. Re-run the job.",
  faults_found: "`mode: doctor` found faults. The page names each with its fix.",
  timeout:
    "The run did not end within `timeout-minutes`, and was cancelled. Raise the limit or ask for less.",
  idle_timeout:
    "The run was silent for `idle-minutes`, and was cancelled. Raise the limit, or look at its last event.",
  detached: "The run goes on without the job (`wait: false` or `on-cancel: detach`).",
  user_stop: "The job was cancelled, and the run with it (`on-cancel: cancel`).",
  service_unavailable: "The service cannot be reached, or answers with an error of its own. Re-run the job.",
  internal_error: "A fault of this software. Report it.",
};

/** What cut a run. */
export const boundTexts: Texts<RunBound> = {
  max_tokens: "The limit of tokens. Raise `max-turn-tokens`, or ask for less in one run.",
  max_cost: "The limit of cost in US dollars. Raise `max-cost`, or ask for less in one run.",
  time_limit:
    "The run's time was nearly over, so that it was wrapped up: raise `timeout-minutes` (a run has 60 minutes at most), or ask for less in one run.",
  max_turns: "The limit of turns of the model. Raise the setting `MAX_TURNS`, or ask for less in one run.",
  repeated_calls: "The agent made the same call again and again. Ask in other words, or use another model.",
  length: "The limit of one answer. Raise the setting `MODEL_MAX_OUTPUT_TOKENS`, or ask for less at once.",
  content_filter:
    "The model refused to go on, or its maker's content filter stopped it. Ask in other words, or use another model.",
  poison:
    "The run ended after five lost workers in a row, with no finished turn between them; what it had changed is kept. Refunded. Tell the service's operator.",
  empty_answer:
    "The model ended its work without an answer, although it was asked for one again. Look at what it changed, and run it again.",
  credits:
    "The credits ended. What the run used is charged. Claim the agent, add credits, or wait for the next month.",
};

/** What a run is parked for that would have ended otherwise. */
export const parkedTexts: Texts<Exclude<ParkReason, StopReason>> = {
  day_cap:
    "The run used what the owner's cap a day (`agent-service agents policy --max-usd-per-day`) left for it, and is parked: it goes on by itself when the next day begins (UTC). Execute the job again to publish what it does then.",
  provider_unavailable:
    "The model's provider was away for longer than the run tries again, and the run is parked: it is tried again by itself. Execute the job again to publish what it does then.",
};

export const quotaTexts: Texts<QuotaReason> = {
  credits_ended:
    "The free credits of the repository's owner, or the credits of the account, are used up, or do not pay for a first answer of the model. Nothing is charged. Claim the agent, add credits, or wait for the next month.",
  day_cap_reached:
    "What the owner lets the repository's runs cost a day (`agent-service agents policy --max-usd-per-day`) is used up until the next day (UTC).",
  repository_private: "Free credits are for public repositories, and no account has claimed this one.",
};

export const runTexts: Texts<RunCause> = {
  backend_error: "The model or the agent failed. The message says how. Refunded.",
  spawn_failed:
    "The run could not be started, for instance because the repository could not be cloned. Refunded. One that could not pay for a first call of its model has this cause, too, and concludes by its `stop_reason`: `credits_ended`, `max_tokens` or `max_cost`.",
  interrupted:
    "The service stopped or crashed during the run, which could not go on. Refunded. Re-run the job.",
  stalled:
    "The run's worker fell silent, and the run could not go on. Refunded. Re-run the job. A run that lost five workers in a row has this cause, too, and concludes by its `stop_reason`, `poison`.",
  time_limit: "The service's time limit, 60 minutes. Ask for less in one run.",
  user_stop: "Somebody cancelled the run.",
  agent_deleted: "The agent was deleted.",
};

export const identityTexts: Texts<IdentityReason> = {
  id_token_unavailable: "The job may not request an ID token. Add `permissions: id-token: write`.",
  id_token_refused: "The CI provider refused an ID token. The message says why.",
  id_token_failed: "The CI provider gave no ID token. Re-run the job.",
  fork_pull_request:
    "A fork's pull request gets no ID token and no secrets, or `allow-forks` does not let it in.",
  dependabot: "Dependabot's jobs get no ID token, and no secrets but Dependabot's own.",
};

export const exchangeTexts: Texts<ExchangeReason> = {
  token_missing: "The request had no ID token.",
  token_malformed: "The ID token is no signed JWT.",
  token_type_unsupported: "`subject_token_type` is not that of an ID token.",
  grant_type_unsupported: "`grant_type` is not that of a token exchange.",
  issuer_unknown: "The service does not accept this CI system. Its operator adds the issuer to `CI_ISSUERS`.",
  issuer_disabled: "The operator has switched this issuer off.",
  algorithm_refused: "The token is signed by an algorithm that this issuer does not use.",
  key_unknown: "The token names a key that the issuer does not publish. Re-run the job in a minute.",
  key_refused: "The issuer's key is too weak.",
  keys_unavailable: "The service cannot fetch the issuer's keys. Re-run the job later.",
  signature_invalid: "The token's signature is wrong.",
  audience_mismatch:
    "The token was made for another audience. Set `audience`, or correct the service's `BASE_URL` or `CI_AUDIENCE`.",
  claim_missing: "The token lacks a claim that the service needs. The message names it.",
  token_expired: "The token had expired on arrival. Compare the clocks.",
  token_not_yet_valid: "The token is not valid yet. Compare the clocks.",
  token_lifetime_too_long: "The token is valid for longer than the operator allows (`max_token_seconds`).",
  event_refused:
    "The service runs nothing for this event. Use `pull_request`, `push`, `schedule` or `workflow_dispatch`.",
  policy_refused: "The owner's policy does not allow this job (`agent-service agents policy`).",
  token_replayed: "The token was used before. Re-run the job.",
};

export const problemTexts: Texts<ProblemCode> = {
  invalid_request: "The request is wrong. The message says what.",
  invalid_grant: "The ID token was refused, without a finer reason.",
  invalid_target: "The ID token was made for something else.",
  unauthorized: "The credential is missing, wrong, expired or revoked.",
  forbidden: "The credential does not allow this.",
  insufficient_scope:
    "The access token of an application is not good for this. The message names the scopes.",
  role_needed:
    "The role of the person in the account, or of the one for whom the key or the application acts, may not do this. The message names the role that may.",
  last_owner: "The account would have no owner left. Make somebody else an owner first.",
  already_member: "The person is a member of the account already.",
  not_found: "There is nothing at this address for this credential.",
  run_finished: "The run has ended already.",
  run_identity_off: "The service vouches for no run: its operator has set no RUN_SECRETS_KEY.",
  run_not_at_work: "Only a run that is at work gets an ID token.",
  run_unfinished: "The run has not ended yet, so that nothing of it can have been delivered.",
  delivery_reported: "This attempt of the job has reported another delivery of the run.",
  turn_not_kept: "The run cannot be forked at this turn: the message says at which it can be.",
  run_not_parked: "The run is not parked: there is nothing to continue it with.",
  run_needs_more:
    "The parked run was not given what it waits for: an answer, a higher limit, or its copy of a workspace, in which another run works. The message names it.",
  events_expired: "The run's events were deleted (`RETENTION_DAYS`).",
  idempotency_key_in_flight: "The same request is being answered at this moment.",
  idempotency_key_reused: "The idempotency key was used for another request.",
  session_key_in_flight: "The session is being opened at this moment. Re-run the job.",
  pull_request_unsupported: "The service cannot work on pull requests of this provider.",
  day_cap_reached:
    "What the owner lets the repository's runs cost a day is used up until the next day (UTC).",
  price_unknown:
    "The run has a limit of cost (`max-cost`, or the owner's cap a day), and its model has no known price. Bound it by `max-turn-tokens`, or use another model.",
  model_access_refused:
    "The service does not take the job's access to a model. The message, and `reason` beside it, say why.",
  model_access_none: "The run was submitted without access to a model, so that there is none to renew.",
  mcp_access_none:
    "The run was submitted without access tokens for these MCP servers, so that there are none to renew.",
  insufficient_credits: "The credits are used up.",
  claim_required: "The repository has to be claimed before its commits are taken. The message has the link.",
  approval_decided: "The approval was decided, or its time has passed.",
  question_answered: "The question is answered: the run, or its session, has gone on.",
  commit_missing:
    "The service does not hold the commit, and cannot clone the repository. The job has to send it.",
  commit_unreachable:
    "The code host does not give the newest commit of the default branch by the access that the agent's owner chose. The message says why and what to do.",
  repository_access_unavailable:
    "This service cannot read the repository in this way. The message says what its operator sets.",
  commit_unknown:
    "No job asked for the run, and no commit of its session or of the repository's default branch is known, or held. A job of the default branch makes one known.",
  commit_not_the_jobs: "The commit is not the one that the job runs on.",
  upload_too_large: "The commit is larger than the service takes.",
  upload_quota: "The repository's runs in flight use all of the space that the service gives it.",
  pack_refused: "The commit that the job sent cannot be used. `reason` and the message say why.",
  precondition_failed: "The thing has changed since it was read.",
  range_not_satisfiable: "The range is outside of the content.",
  body_too_large: "The request is too large.",
  unsupported_media_type: "The request has another content type than the route takes.",
  rate_limited: "Too many requests, for longer than the job waits. Re-run the job later.",
  capacity_reached: "The service's queue is full. Re-run the job later.",
  concurrency_reached: "The account has as many runs in flight as its plan allows.",
  owner_needed: "Only an owner's key may do this.",
  already_claimed: "Another account has claimed the repository.",
  schedule_not_confirmable: "The schedule cannot be confirmed any more.",
  agent_ending: "The agent is being deleted.",
  plan_forbids_model: "The account's plan does not include this model.",
  agent_cap_reached: "The account has as many agents as its plan allows.",
  workspace_cap_reached: "The account has as many workspaces as its plan allows.",
  workspaces_not_admitted: "The operator takes no new work in workspaces, or none with their files.",
  workspace_erasing: "The workspace is being deleted.",
  invalid_workspace_manager: "A workspace has to have a manager: an agent of its account that takes work.",
  workspace_manager_in_use: "The agent is the manager of workspaces. Choose another manager for them first.",
  workspace_held: "A run is at work in the workspace.",
  copy_held: "A run is at work in the copy: nobody else writes there until it has ended, or is parked.",
  copy_unsaved: "The copy has changes that no revision holds. Make a checkpoint first.",
  storage_adopting: "The workspace is being filled with the files of an agent's repository.",
  path_invalid: "The path is none that git, or every system, would take. The message names the rule.",
  path_taken: "There is something else in this place, or at a name that differs in case alone.",
  file_too_large: "The file is too large to be read as text. Download it.",
  not_text: "The file is not text. Download it.",
  revision_in_use: "The revision is the current one, pinned, or the base of something.",
  current_revision_conflict:
    "The current revision is another one by now. Read it, look again, and accept anew.",
  changeset_decided: "The changeset was accepted or rejected.",
  changeset_conflicted: "The changeset conflicts with the current revision. Resolve it first.",
  adoption_state: "The adoption is in a state that does not allow this.",
  task_group_stopped: "The task group takes no more work.",
  task_group_spent: "Too little is left of the task group's budget for another worker.",
  site_unclaimed:
    "Sites are for accounts that somebody is signed in to, or has an identity or a passkey for.",
  inbound_email_off: "The service receives no mail.",
  unavailable: "The service cannot answer at this moment.",
  overloaded: "The node has as much to do as it takes. `Retry-After` says when to try again.",
  storage_unavailable:
    "The storage of large files and commits does not answer, or refuses. `Retry-After` says when to try again.",
  contents_lost:
    "The contents are missing from the service's storage, or are damaged there. To try again does not help: send the same contents once more, or tell the service's operator.",
  storage_full: "The storage of the service is full. `Retry-After` says when to try again.",
  upgrade_required: "The address is for WebSockets.",
  internal: "A fault of the service. Tell its operator the request id.",
};

export const clientTexts: Texts<ClientErrorReason> = {
  connection_failed: "No answer came. Concludes as `service_unavailable`.",
  timed_out: "No answer came in time. Concludes as `service_unavailable`.",
  certificate_refused: "The service's certificate is not trusted. Add its authority to the runner.",
  unexpected_answer: "Something else than the service answers at `base-url`.",
  events_missing: "The service lost events of the run. Report it.",
};

export const declinedTexts: Texts<DeclinedReason> = {
  no_command: "No line begins with the trigger phrase, or the agent wrote the comment itself.",
  help: "`/agent help`: the answer lists the commands.",
  not_continued:
    "A comment asked to continue a run, and there is none to continue: without a server, or with `session: new`, no run is kept for that.",
  limit_wrong:
    "A comment asked to continue a run with a limit that is none. The message says what is allowed.",
  cancel_elsewhere: "Without a service nothing can be cancelled from here. Cancel the workflow run.",
  action_ignored: "The event is one that starts nothing, like an edited comment or a closed pull request.",
  event_not_named: "Anybody can cause the event, and the input `allow-events` does not name it.",
  author_unknown: "The account that wrote this no longer exists.",
  actor_not_author: "Somebody else triggered the event than wrote the text.",
  bot_not_allowed:
    "The author is a bot that `allow-bots` does not name; on GitLab and Bitbucket, the pipeline is of a push by the account of the job's own token.",
  permission_missing: "The author has no write access and is not in `allow-users`.",
  content_edited: "The text was edited after the event.",
  content_deleted: "The text was deleted after the event.",
  paths_unmatched: "The pull request changes no file that `paths` and `ignore-paths` let a review see.",
  head_moved: "The fork was pushed to after the event.",
  fork_pull_request: "A fork's pull request, and `allow-forks` does not let it in.",
  event_refused: "The service runs nothing for this event.",
  event_unreadable: "The event's data cannot be read. Re-run the job.",
  code_host_refused:
    "GitHub refuses to say who may start a run, or GitLab or Bitbucket what the job's token asks for. Check the job's permissions, or the token.",
  code_host_unavailable: "GitHub, GitLab or Bitbucket does not answer. Re-run the job.",
};

export const promptFileTexts: Texts<PromptFileReason> = {
  prompt_file_missing: "The file does not exist at that commit.",
  prompt_file_refused: "The path leads out of the repository, or is no file.",
  prompt_file_too_large: "The file has more than 64 KB.",
  prompt_file_unreadable: "The file cannot be read. With a service, give the job `contents: read`.",
};

export const stepTexts: Texts<Exclude<StepReason, DeclinedReason | PromptFileReason | JobReason>> = {
  invalid_input:
    "An input is wrong. The message names it and what is allowed. Fails whatever `fail-on` says.",
  invalid_settings:
    "Without a server: a setting of the sandbox or the model is wrong, or the model's key is empty: a secret that is not set is.",
  agent_not_installed:
    "Without a server: the program of `agent` is not installed. The message names the command that installs it.",
  sandbox_not_started: "Without a server: the sandbox that `SANDBOX` requires does not work here.",
  sandbox_not_watched: "Without a server: the sandbox cannot be watched here.",
  run_id_missing: "`mode: cancel` or `mode: attach` needs `run-id` here.",
  run_not_found: "The run of `run-id` does not exist, or is another repository's.",
  host_not_found:
    "DNS knows no host of the name in `base-url`. Known before the first answer only; later it is retried.",
  id_tokens_used_up: "The job has no ID token left for a run that takes so long. The run goes on.",
  checkout_missing: "Without a server: there is no checkout. Add `actions/checkout` before the step.",
  checkout_changed:
    "Without a server: an earlier step changed files, so the pull request's head is not checked out.",
  checkout_failed: "Without a server: the pull request's head cannot be checked out.",
  commit_not_found:
    "The commit for the service is in no checkout of the job, and cannot be fetched. Add a checkout, or `contents: read`.",
  commit_unreadable:
    "Git cannot read the commit for the service. The message says why; a partial clone lacks files.",
  commit_too_large:
    "The commit has more new files than the service takes of this repository. The message has the sizes.",
  commit_not_sent: "The commit did not reach the service within `timeout-minutes`.",
};

export const federationTexts: Texts<FederationReason> = {
  federation_refused:
    "The provider did not accept the job's token, and does not say why. Compare rule, policy or mapping with what `mode: doctor` shows: issuer, subject, audience, account, workspace.",
  federation_request_invalid:
    "An identifier is not one of the provider's, or one is missing, such as `anthropic-workspace-id`. The message has the provider's own words.",
  federation_identifier_unknown: "The provider knows no such rule, policy or identity provider.",
  federation_account_refused: "The service account or the workspace may not be used by this job.",
  federation_audience_refused:
    "The token is made for another audience than the provider expects. Set `model-audience`.",
  federation_token_missing:
    "On a service: the file of `MODEL_IDENTITY_TOKEN_FILE` cannot be read or holds no token, or the cloud of `MODEL_IDENTITY` gives none. Its operator sees why in the run's message.",
  federation_token_expired:
    "The ID token had expired before it was exchanged: a wrong clock, or a token that was given when the job began.",
  federation_token_used:
    "The job has no further ID token for the model's provider, which takes each of them once.",
  federation_token_too_large: "The ID token is larger than a provider takes.",
  federation_unreachable: "The token endpoint cannot be reached. Re-run the job.",
  federation_unavailable: "The token endpoint is overloaded, or fails. Re-run the job later.",
  federation_answer_invalid: "What answered is not the token endpoint. Look for a proxy.",
};

export const keptTexts: Texts<KeptReason> = {
  changes_conflict: "The changes conflict with what was pushed meanwhile.",
  branch_protected: "The branch is protected against the job's token.",
  branch_taken: "The branch for the pull request holds other commits.",
  branch_moved: "The branch moved again and again while the job pushed.",
  fork_head: "The branch is of a fork, which the job cannot push to.",
  no_branch: "The run was about no branch, for instance a tag.",
  permission_missing:
    "The job needs `contents: write` or `pull-requests: write`; on GitLab, its token the role Developer and the scope `api`; on Bitbucket, the scopes `pullrequest:write` and `repository:write`.",
  pull_request_refused: "GitHub refused the pull request. Allow Actions to create pull requests.",
  signing_unsupported: "`signed-commits` cannot make this commit: executables, links, or a base that moved.",
  patch_unusable: "The patch does not apply to the commit of the run.",
  secret_in_changes:
    "The changes would publish what looks like a secret. The message names kind, file and line.",
  hidden_characters:
    "The changes add characters that no reader sees, such as those that turn the direction of text.",
  push_refused: "GitHub refused the push. The message says why.",
  interrupted: "The job was cancelled before the changes were pushed.",
  code_host_unavailable: "GitHub does not answer.",
};
