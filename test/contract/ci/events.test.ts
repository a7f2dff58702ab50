// Every row of the events, column by column: a change of an answer is a change here.

import { describe, expect, it } from "vitest";
import {
  areFilesTrusted,
  ciEvents,
  type EventRules,
  eventRules,
  isCommitTrusted,
  isOnDefaultBranch,
  pullRequestActions,
  pullRequestAsks,
  refusedEvents,
} from "../../../src/contract/ci/events.ts";
import { type CiProviderName, ciProviderNames, ciProviders } from "../../../src/contract/ci/providers.ts";

/** "claim": accepts a claim; "trust": trusted; "commit": writers made its commit; "prompt": reads the checked-out prompt file; "default": its commit is of the default branch; "refused": by default. */
type Answer = "claim" | "trust" | "commit" | "prompt" | "default" | "refused";
const columns: Readonly<Record<Answer, keyof EventRules>> = {
  claim: "acceptsClaim",
  trust: "isTrusted",
  commit: "isCommitTrusted",
  prompt: "readsCheckedOutPrompt",
  default: "isOnDefaultBranch",
  refused: "isRefused",
};

const outsiders: readonly Answer[] = [];
const writers: readonly Answer[] = ["claim", "trust", "commit", "prompt"];
const onDefaultBranch: readonly Answer[] = ["commit", "default"];

const expected: Readonly<Record<CiProviderName, Readonly<Record<string, readonly Answer[]>>>> = {
  github: {
    push: writers,
    schedule: [...writers, "default"],
    workflow_dispatch: writers,
    repository_dispatch: [...writers, "default"],
    release: writers,
    delete: [...writers, "default"],
    create: ["claim"],
    merge_group: outsiders,
    branch_protection_rule: outsiders,
    deployment: outsiders,
    image_version: outsiders,
    page_build: outsiders,
    public: outsiders,
    registry_package: outsiders,
    pull_request: outsiders,
    pull_request_review: outsiders,
    pull_request_review_comment: outsiders,
    issue_comment: onDefaultBranch,
    issues: onDefaultBranch,
    discussion: onDefaultBranch,
    discussion_comment: onDefaultBranch,
    commit_comment: onDefaultBranch,
    fork: onDefaultBranch,
    watch: onDefaultBranch,
    gollum: onDefaultBranch,
    check_run: outsiders,
    check_suite: outsiders,
    deployment_status: outsiders,
    label: outsiders,
    milestone: outsiders,
    status: outsiders,
    pull_request_target: ["refused"],
    workflow_run: ["refused"],
  },
  gitlab: {
    push: writers,
    schedule: writers,
    web: writers,
    webide: writers,
    api: writers,
    pull_request: outsiders,
    trigger: outsiders,
    pipeline: outsiders,
    parent_pipeline: outsiders,
    chat: outsiders,
    external: outsiders,
  },
  circleci: { push: ["trust", "commit", "prompt"], pipeline: outsiders, pull_request: outsiders },
  buildkite: {
    schedule: writers,
    push: ["trust", "commit", "prompt"],
    webhook: outsiders,
    pull_request: outsiders,
    ui: outsiders,
    api: outsiders,
    trigger_job: outsiders,
    build: outsiders,
  },
  bitbucket: { push: ["trust", "commit", "prompt"], pipeline: ["claim", "commit"], pull_request: outsiders },
};

const rows = ciProviderNames.flatMap((provider) =>
  Object.entries(ciEvents[provider]).map(([event, rules]) => ({ provider, event, rules })),
);

describe("a job of an event", () => {
  it("has a row here for each of the table, and the other way round", () => {
    for (const name of ciProviderNames) {
      expect(Object.keys(ciEvents[name]).toSorted()).toEqual(Object.keys(expected[name]).toSorted());
    }
  });

  it.each(rows)("may do what its row says: $provider $event", ({ provider, event, rules }) => {
    const answers = Object.entries(columns).flatMap(([answer, column]) =>
      rules[column] === true ? [answer] : [],
    );
    expect(answers).toEqual(expected[provider][event]);
    expect(eventRules(provider, event)).toBe(rules);
  });

  it.each(rows)("is trusted with nothing that its origin forbids: $provider $event", ({ rules }) => {
    if (rules.startedBy === "anyone") expect(rules).toMatchObject({ acceptsClaim: false, isTrusted: false });
    if (rules.readsCheckedOutPrompt) expect(rules.isTrusted).toBe(true);
    if (rules.isRefused) expect(rules.startedBy).toBe("anyone");
  });

  it.each(ciProviderNames)("may do nothing where it is a pull request's: %s", (provider) => {
    expect(eventRules(provider, "pull_request")).toEqual({
      startedBy: "anyone",
      acceptsClaim: false,
      isTrusted: false,
      isCommitTrusted: false,
      readsCheckedOutPrompt: false,
      asks: provider === "github" ? "request" : "name",
      isOnDefaultBranch: false,
      isRefused: false,
    });
  });

  it.each([
    ["github", "an_event_of_tomorrow"],
    ["github", "constructor"],
    ["github", "__proto__"],
    ["github", ""],
    ["ci", "push"],
    ["__proto__", "push"],
    ["constructor", "name"],
  ])("may do nothing where it is not known: %s %s", (provider, event) => {
    expect(eventRules(provider, event)).toBe(eventRules("github", "check_run"));
    expect(eventRules(provider, event).asks).toBe("name");
  });

  it.each(rows.filter(({ provider }) => provider === "github"))(
    "asks for something where anybody can cause it: $event",
    ({ rules: { startedBy, asks } }) => {
      expect(asks === "nothing").toBe(startedBy === "writer");
    },
  );

  it("is not read as trusted by what a pull request's action asks for", () => {
    expect(pullRequestAsks("an_action_of_tomorrow")).toBe("name");
    expect(pullRequestAsks("constructor")).toBe("name");
    expect(Object.entries(pullRequestActions).filter(([, asks]) => asks === "code")).toHaveLength(4);
  });

  it("is refused at GitHub alone, in two cases", () => {
    const refused = ciProviderNames.map((name) => [name, refusedEvents(name)]);
    expect(refused.filter(([, events]) => events?.length !== 0)).toEqual([
      ["github", ["pull_request_target", "workflow_run"]],
    ]);
  });
});

describe("a provider", () => {
  it.each(ciProviderNames)("has a job that accepts a claim, or says why there is none: %s", (name) => {
    const canAccept = Object.values(ciEvents[name]).some(({ acceptsClaim }) => acceptsClaim);
    expect(canAccept).toBe(ciProviders[name].claimObstacle === null);
  });

  it.each(ciProviderNames)("is identified by ids, which no name is: %s", (name) => {
    const { repository, owner } = ciProviders[name].ids;
    for (const claim of [repository, owner]) expect(claim).toMatch(/[-_]id$|Uuid$/);
  });
});

describe("a job's commit and files", () => {
  it.each(rows)("are trusted for $event of $provider as its row says, and never in a pull request", (row) => {
    const { provider, event, rules } = row;
    const [plain, request] = [null, "main"].map((baseRef) => ({ provider, event, baseRef }));
    if (plain === undefined || request === undefined) throw new Error("Both are there.");
    expect(isCommitTrusted(plain)).toBe(rules.isCommitTrusted);
    expect(areFilesTrusted(plain)).toBe(rules.isTrusted);
    expect([isCommitTrusted(request), areFilesTrusted(request)]).toEqual([false, false]);
  });

  it.each(rows)("are the default branch's for $event of $provider where writers made the commit", (row) => {
    const { provider, event, rules } = row;
    const job = { provider, event, baseRef: null, ref: "refs/heads/main" };
    expect(isOnDefaultBranch(job)).toBe(rules.isCommitTrusted && rules.isOnDefaultBranch);
    // By its own statement as well; a branch of a like name is another one.
    expect(isOnDefaultBranch({ ...job, defaultBranch: "main" })).toBe(rules.isCommitTrusted);
    const other = { ...job, defaultBranch: "main-2" };
    expect(isOnDefaultBranch(other)).toBe(rules.isCommitTrusted && rules.isOnDefaultBranch);
    const request = { ...job, baseRef: "main", defaultBranch: "main" };
    expect(isOnDefaultBranch(request)).toBe(false);
  });

  it("are nobody's for an event that has no row, and the person's own where no CI started the job", () => {
    const unknown = { provider: "github", event: "of_next_year", baseRef: null };
    expect([isCommitTrusted(unknown), areFilesTrusted(unknown)]).toEqual([false, false]);
    const local = { provider: "local", event: "local", baseRef: null };
    expect([isCommitTrusted(local), areFilesTrusted(local)]).toEqual([false, true]);
  });
});
