// The workflow that `agent-service init` writes: one job, one step, and the permissions that they need. Pure.

import { exampleModel, inputOf, modelProviders, variableOf } from "../contract/models/providers.ts";

export const starts = ["comments", "reviews", "nightly", "manual"] as const;
export type Start = (typeof starts)[number];

export const changeModes = ["none", "commit", "pull-request"] as const;
export type ChangeMode = (typeof changeModes)[number];

/** The place where the agent works. Inside the job, its model takes the job's identity or a key. */
export type WorkflowPlace =
  | { readonly type: "service"; readonly url: string }
  | { readonly type: "job"; readonly model: "keyless" | "key" };

export type WorkflowChoices = {
  readonly start: Start;
  readonly place: WorkflowPlace;
  readonly changes: ChangeMode;
  /** `owner/name@commit`. */
  readonly action: string;
};

const { provider: PROVIDER, name: MODEL } = exampleModel;
export const MODEL_KEY = modelProviders[PROVIDER].keyVariable;
/** Identifiers of the trust in the repository's jobs, by input: as variables, so that nobody edits the file for them. */
export const MODEL_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(modelProviders[PROVIDER].federation.identifiers)
    .filter(([, { isRequired }]) => isRequired)
    .map(([field]) => inputOf(PROVIDER, field))
    .map((input) => [input, variableOf(input)]),
);
const CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
const MAINTENANCE =
  "Find one small fault in this repository: a broken link, an outdated comment, a missing test. Fix it and say what you did.";
const INPUT = `\${{ inputs.prompt }}`;

const START_LINES: Readonly<Record<Start, readonly string[]>> = {
  comments: [
    "on:",
    "  issue_comment:",
    "    types: [created]",
    "  pull_request_review_comment:",
    "    types: [created]",
    "  issues:",
    "    types: [opened]",
  ],
  reviews: ["on:", "  pull_request:", "    types: [opened, synchronize, reopened, ready_for_review]"],
  nightly: ["on:", "  schedule:", '    - cron: "23 2 * * *"', "  workflow_dispatch:"],
  manual: [
    "on:",
    "  workflow_dispatch:",
    "    inputs:",
    "      prompt:",
    "        description: The request to the agent",
    "        required: true",
    "        type: string",
  ],
};

const GROUPS: Readonly<Record<Start, readonly string[]>> = {
  comments: [],
  reviews: [
    "# An outdated commit needs no review.",
    "concurrency:",
    `  group: agent-review-\${{ github.event.pull_request.number }}`,
    "  cancel-in-progress: true",
    "",
  ],
  nightly: ["concurrency:", "  group: agent-nightly", ""],
  manual: [],
};

/** Only spares a runner: the action itself decides what is a request. */
const CONDITIONS: Readonly<Record<Start, string | null>> = {
  comments: "contains(github.event.comment.body || github.event.issue.body, '/agent')",
  reviews: "!github.event.pull_request.draft",
  nightly: null,
  manual: null,
};

export const NAMES: Readonly<Record<Start, string>> = {
  comments: "Agent",
  reviews: "Agent review",
  nightly: "Agent maintenance",
  manual: "Ask the agent",
};

/** The text of the workflow file. */
export function initWorkflow(choices: WorkflowChoices): string {
  const { start } = choices;
  const condition = CONDITIONS[start];
  const lines = [
    `name: ${NAMES[start]}`,
    "",
    ...START_LINES[start],
    "",
    "permissions: {}",
    "",
    ...GROUPS[start],
    "jobs:",
    "  agent:",
    ...(condition === null ? [] : [`    if: \${{ ${condition} }}`]),
    "    runs-on: ubuntu-latest",
    "    timeout-minutes: 65",
    "    permissions:",
    ...permissions(choices).map((line) => `      ${line}`),
    "    steps:",
    ...(choices.place.type === "job" ? jobSteps() : []),
    `      - uses: ${choices.action}`,
    "        with:",
    ...inputs(choices).map((line) => `          ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

const CONTENTS_OF_PRIVATE = "contents: read # the commit, where the repository is private";

/** The least that the job needs. */
function permissions({ start, place, changes }: WorkflowChoices): string[] {
  const isKeyless = place.type === "service" || place.model === "keyless";
  const writesFiles = changes !== "none";
  const talks = start === "comments" || start === "reviews";
  const opensPullRequests = changes === "pull-request" || (changes === "commit" && start === "comments");
  return [
    ...(isKeyless ? ["id-token: write # proves the job's identity, in place of a secret"] : []),
    ...(writesFiles ? ["contents: write # pushes changes"] : []),
    ...(writesFiles ? [] : [place.type === "job" ? "contents: read # the checkout" : CONTENTS_OF_PRIVATE]),
    ...(start === "comments" ? ["issues: write # the answer on an issue"] : []),
    ...(talks ? ["pull-requests: write # the answer on a pull request"] : []),
    ...(!talks && opensPullRequests ? ["pull-requests: write # opens the pull request"] : []),
  ];
}

function jobSteps(): string[] {
  return [
    `      - uses: ${CHECKOUT}`,
    "        with:",
    "          persist-credentials: false",
    "          fetch-depth: 2",
    "      # The sandbox: commands of the agent get no network and see tools of the machine, not its files.",
    "      - run: |",
    "          sudo apt-get update && sudo apt-get install --yes bubblewrap",
    "          if [ -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns ]; then",
    "            sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    "          fi",
  ];
}

function placeInputs(place: WorkflowPlace): string[] {
  if (place.type === "service") return [`base-url: ${place.url}`];
  const access =
    place.model === "key"
      ? [`model-api-key: \${{ secrets.${MODEL_KEY} }}`]
      : Object.entries(MODEL_VARIABLES).map(([input, name]) => `${input}: \${{ vars.${name} }}`);
  return [`model: ${MODEL}`, `model-provider: ${PROVIDER}`, ...access];
}

function inputs({ start, place, changes }: WorkflowChoices): string[] {
  return [
    ...placeInputs(place),
    ...(start === "nightly" ? [`prompt: "${MAINTENANCE}"`] : []),
    ...(start === "manual" ? [`prompt: ${INPUT}`] : []),
    ...(changes === "none" ? [] : [`changes: ${changes}`]),
    ...(start === "comments" || start === "reviews" ? ["findings: review"] : []),
    ...(start === "reviews" ? ["comment: true"] : []),
  ];
}
