// The CI providers, one row each: all that the rest has to know of one by name. To add a provider, add its name and
// answer what the compiler asks: this row, its events, `src/ci/<name>.ts` and `src/service/oidc/providers/<name>.ts`. Pure.

import { joinWords } from "../../base/join-words.ts";

export const ciProviderNames = ["github", "gitlab", "circleci", "buildkite", "bitbucket"] as const;
export type CiProviderName = (typeof ciProviderNames)[number];

/** The way in which a job gets its ID token. */
export type IdTokenSource =
  /** A request to the provider, at an address that the job's environment names. */
  | { readonly type: "request"; readonly variable: string }
  /** A tool of the provider in the job's `PATH`. */
  | { readonly type: "tool"; readonly command: string }
  /** A variable that is set before the job begins: there are only so many tokens. */
  | { readonly type: "variable"; readonly variable: string };

/** Advice for another checkout, by the provider's documentation of 2026-11-22: a sentence each. */
type CheckoutAdvice = {
  /** To have one at all. */
  readonly enable: string;
  /** For the whole history. */
  readonly deepen: string;
  /** For every file, where the checkout is a partial clone. */
  readonly complete: string;
};

type CiProviderFacts = {
  /** As people know it. */
  readonly title: string;
  readonly issuer: {
    /** The `iss` of its tokens; `<…>` stands for what differs. */
    readonly url: string;
    /** The path of the keys, below the issuer. */
    readonly keysPath: string;
  };
  /** The claims of its tokens that identify the repository and its owner. Never names: these change hands. */
  readonly ids: { readonly repository: string; readonly owner: string };
  /** The claims that a person may be shown: they say who the job is, and none is a secret. */
  readonly shownClaims: readonly string[];
  /** Whether its tokens say if the repository is public. Otherwise the issuer's entry says it, or it counts as private. */
  readonly claimsVisibility: boolean;
  /** Names that `{…}` of the issuer's clone URL stands for. */
  readonly cloneNames: readonly ("repository" | "pipeline")[];
  readonly token: IdTokenSource;
  readonly checkout: CheckoutAdvice;
  /** The folder of refs in which the repository keeps the heads of pull requests. Null where it keeps none. */
  readonly pullRequestRefs: string | null;
  /** Whether a job can write comments on a merge request or pull request with a credential of its own. */
  readonly canComment: boolean;
  /** Why no job of it can accept a claim of its repository's agent. Null where jobs can; its events say which. */
  readonly claimObstacle: string | null;
};

export const ciProviders: Readonly<Record<CiProviderName, CiProviderFacts>> = {
  github: {
    title: "GitHub Actions",
    issuer: {
      url: "https://token.actions.githubusercontent.com",
      keysPath: "/.well-known/jwks",
    },
    ids: { repository: "repository_id", owner: "repository_owner_id" },
    shownClaims: ["repository", "repository_id", "event_name", "ref", "workflow_ref", "actor"],
    claimsVisibility: true,
    cloneNames: ["repository"],
    token: { type: "request", variable: "ACTIONS_ID_TOKEN_REQUEST_URL" },
    checkout: {
      enable: 'Add "uses: actions/checkout@v7" before this step.',
      deepen: 'Give actions/checkout "fetch-depth: 0".',
      complete: 'Take "filter" away from actions/checkout.',
    },
    pullRequestRefs: "pull",
    canComment: true,
    claimObstacle: null,
  },
  gitlab: {
    title: "GitLab CI",
    issuer: {
      url: "https://gitlab.com",
      keysPath: "/oauth/discovery/keys",
    },
    ids: { repository: "project_id", owner: "namespace_id" },
    shownClaims: ["project_path", "project_id", "pipeline_source", "ref"],
    claimsVisibility: true,
    cloneNames: ["repository"],
    token: { type: "variable", variable: "AGENT_SERVICE_ID_TOKEN" },
    checkout: {
      enable: 'Let the job fetch its commit: the variable GIT_STRATEGY must not be "none" or "empty".',
      deepen: 'Set the job\'s variable GIT_DEPTH to "0".',
      complete: 'Take "--filter" out of the variable GIT_FETCH_EXTRA_FLAGS.',
    },
    pullRequestRefs: "merge-requests",
    // CI_JOB_TOKEN reads merge requests and writes none of their notes.
    canComment: false,
    claimObstacle: null,
  },
  circleci: {
    title: "CircleCI",
    issuer: {
      url: "https://oidc.circleci.com/org/<organization id>",
      keysPath: "/.well-known/jwks-pub.json",
    },
    ids: { repository: "oidc.circleci.com/project-id", owner: "oidc.circleci.com/org-id" },
    shownClaims: ["oidc.circleci.com/project-id"],
    claimsVisibility: false,
    cloneNames: ["repository"],
    token: { type: "tool", command: "circleci" },
    checkout: {
      enable: 'Add the step "checkout" before this one.',
      deepen: 'Give the step "checkout" the key "method: full".',
      complete: 'Give the step "checkout" the key "method: full".',
    },
    pullRequestRefs: null,
    canComment: false,
    claimObstacle:
      "A repository of CircleCI cannot be claimed: its tokens name it by an address that changes hands. It runs where " +
      'the service\'s operator sets "visibility": "public" for it, on the free credits of its owner.',
  },
  buildkite: {
    title: "Buildkite",
    issuer: {
      url: "https://agent.buildkite.com",
      keysPath: "/.well-known/jwks",
    },
    ids: { repository: "pipeline_id", owner: "organization_id" },
    shownClaims: ["organization_slug", "pipeline_slug", "pipeline_id", "build_branch"],
    claimsVisibility: false,
    cloneNames: ["repository", "pipeline"],
    token: { type: "tool", command: "buildkite-agent" },
    checkout: {
      enable:
        'Let the agent check the commit out: take BUILDKITE_SKIP_CHECKOUT and "checkout: skip" away from this step.',
      deepen: 'Take "--depth" out of the variable BUILDKITE_GIT_CLONE_FLAGS.',
      complete: 'Take "--filter" out of the variable BUILDKITE_GIT_CLONE_FLAGS.',
    },
    pullRequestRefs: null,
    canComment: false,
    claimObstacle: null,
  },
  bitbucket: {
    title: "Bitbucket Pipelines",
    issuer: {
      url: "https://api.bitbucket.org/2.0/workspaces/<workspace>/pipelines-config/identity/oidc",
      keysPath: "/keys.json",
    },
    ids: { repository: "repositoryUuid", owner: "workspaceUuid" },
    shownClaims: ["repositoryUuid", "workspaceUuid"],
    claimsVisibility: false,
    cloneNames: ["repository"],
    token: { type: "variable", variable: "BITBUCKET_STEP_OIDC_TOKEN" },
    checkout: {
      enable: 'Take "clone: enabled: false" away from this step.',
      deepen: 'Give this step "clone: depth: full".',
      complete: 'Clone the repository without "--filter".',
    },
    pullRequestRefs: null,
    canComment: false,
    claimObstacle: null,
  },
};

export function isCiProvider(name: string): name is CiProviderName {
  return Object.hasOwn(ciProviders, name);
}

/** "GitHub Actions, GitLab CI and CircleCI": the titles of these providers, or of all. */
export function providerTitles(
  names: readonly CiProviderName[] = ciProviderNames,
  conjunction: "and" | "or" = "and",
): string {
  return joinWords(
    names.map((name) => ciProviders[name].title),
    conjunction,
  );
}
