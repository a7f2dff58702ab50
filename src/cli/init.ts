// agent-service init: asks what is not given, writes a workflow with the least permissions, and checks what it can.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findCheckoutRoot } from "../base/git/found-checkout.ts";
import { joinWords } from "../base/join-words.ts";
import { matching, oneOf } from "../base/settings/kinds.ts";
import type { Kind } from "../base/settings/setting.ts";
import { exampleModel, federatingTitles, modelProviders } from "../contract/models/providers.ts";
import { serviceUrl } from "../job/job-settings.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { printExamination } from "./doctor.ts";
import { switchFlag, valueFlag } from "./flags.ts";
import {
  type ChangeMode,
  changeModes,
  initWorkflow,
  MODEL_KEY,
  MODEL_VARIABLES,
  NAMES,
  type Start,
  starts,
  type WorkflowChoices,
  type WorkflowPlace,
} from "./init-workflow.ts";
import { openAsker } from "./questions.ts";

const FILE = ".github/workflows/agent.yml";
/** No account can have this name: whoever copied the project puts an account and a commit there. */
const UNNAMED_ACTION = "<owner>/agent-service@<commit>";

const placeKind: Kind<WorkflowPlace> = {
  allowed: 'the address of a service, "job" to work inside the job, or "key" to do that with a stored key',
  decode: (text) => {
    const word = text.toLowerCase();
    if (word === "job") return { ok: true, value: { type: "job", model: "keyless" } };
    if (word === "key") return { ok: true, value: { type: "job", model: "key" } };
    const url = serviceUrl.decode(text);
    return url.ok ? { ok: true, value: { type: "service", url: url.value } } : url;
  },
};
const startKind = oneOf(starts);
const changesKind = oneOf(changeModes);

const { title: TITLE } = modelProviders[exampleModel.provider];
const OTHER_TITLES = federatingTitles().filter((title) => title !== TITLE);

const START_QUESTION = {
  text: "When should the agent work?",
  choices: [
    'comments  when somebody with write access writes "/agent …" on an issue or a pull request',
    "reviews   on every pull request: it comments on lines",
    "nightly   every night, on small fixes",
    'manual    by the button "Run workflow"',
  ],
  kind: startKind,
  flag: "--start",
};
const PLACE_QUESTION = {
  text: "Where should it work?",
  choices: [
    "https://…  the address of your service: no secret is stored",
    `job        inside the job, which proves itself to ${TITLE} for its model: no secret is stored`,
    `key        inside the job, with a model's key as the repository's secret ${MODEL_KEY}`,
  ],
  kind: placeKind,
  flag: "--at",
};
const CHANGES_QUESTION = {
  text: "What should become of the files that it changes?",
  choices: [
    "none          nothing: it answers",
    "commit        pushed to the branch that it worked on",
    "pull-request  proposed as a pull request",
  ],
  kind: changesKind,
  flag: "--changes",
};

export const init = command({
  summary: "Write a GitHub workflow for this repository, and check what can be checked from here.",
  notes: [
    `Asks three questions; flags answer them beforehand. Writes ${FILE} and nothing else. The workflow gets the permissions that it needs and no others.`,
  ],
  flags: {
    start: valueFlag({ kind: startKind, fallback: null, takes: "<when>", description: "When it works." }),
    at: valueFlag({
      kind: placeKind,
      fallback: null,
      takes: "<url>",
      description: "Where it works.",
    }),
    changes: valueFlag({
      kind: changesKind,
      fallback: null,
      takes: "<mode>",
      description: "What becomes of the files that it changes. Reviews change none.",
    }),
    action: valueFlag({
      kind: matching(
        "an action at a commit: owner/name@ and 40 hexadecimal digits",
        /^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/,
      ),
      fallback: UNNAMED_ACTION,
      takes: "<owner/name@commit>",
      description: "Your copy of the action, pinned to a commit.",
    }),
    force: switchFlag(`Replace ${FILE} where there is one.`),
  },
  examples: ["init", "init --start comments --at https://agents.example.com --changes commit"],
  run: async ({ flags }) => {
    const root = await findCheckoutRoot(process.cwd());
    if (root === null) {
      throw new CommandError(`${process.cwd()} is in no git repository. Run init in a checkout of yours.`);
    }
    const choices = await choose(flags);
    const path = join(root, FILE);
    await writeWorkflow(path, { text: initWorkflow(choices), isForced: flags.force });
    process.stdout.write(`Wrote ${path}\n\nNext:\n${nextSteps(choices).join("\n")}\n\n`);
    await printExamination({ baseUrl: choices.place.type === "service" ? choices.place.url : null });
    return 0;
  },
});

type Given = {
  readonly start: Start | null;
  readonly at: WorkflowPlace | null;
  readonly changes: ChangeMode | null;
  readonly action: string;
};

async function choose({ start, at, changes, action }: Given): Promise<WorkflowChoices> {
  const asker = openAsker();
  try {
    const when = start ?? (await asker.ask(START_QUESTION));
    const place = at ?? (await asker.ask(PLACE_QUESTION));
    const kept = when === "reviews" ? "none" : (changes ?? (await asker.ask(CHANGES_QUESTION)));
    return { start: when, place, changes: kept, action };
  } finally {
    asker.close();
  }
}

async function writeWorkflow(
  path: string,
  { text, isForced }: { readonly text: string; readonly isForced: boolean },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(path, text, { flag: isForced ? "w" : "wx" });
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    throw new CommandError(`${path} exists. Give --force to replace it.`, { cause });
  }
}

const BY_HAND = (name: string) =>
  `Start it once by hand, by Actions → ${name} → Run workflow, and read its summary.`;
/** The act that starts the workflow for the first time. */
const FIRST_RUNS: Readonly<Record<Start, string>> = {
  comments: 'Write "/agent help" on an issue.',
  reviews: "Open a pull request, or push to one, and read the review.",
  nightly: BY_HAND(NAMES.nightly),
  manual: BY_HAND(NAMES.manual),
};

function modelSteps(place: WorkflowPlace): string[] {
  if (place.type === "service") return [];
  if (place.model === "key") {
    return [
      `Store a model's key as the repository's secret ${MODEL_KEY}. Without a stored key: docs/keyless-models.md, and "init --at job".`,
    ];
  }
  return [
    `Let ${TITLE} trust this repository's jobs: docs/keyless-models.md has the steps, also for ${joinWords(OTHER_TITLES)}.`,
    `Set what it shows as the repository's variables ${Object.values(MODEL_VARIABLES).join(", ")}. None is a secret.`,
  ];
}

function nextSteps({ start, place, changes, action }: WorkflowChoices): string[] {
  const opensPullRequests = changes === "pull-request" || (changes === "commit" && start === "comments");
  const steps = [
    ...(action === UNNAMED_ACTION
      ? [
          `Copy this project into an account of yours and put it, at a commit, in the place of ${UNNAMED_ACTION}.`,
        ]
      : []),
    ...modelSteps(place),
    ...(opensPullRequests
      ? ["Settings → Actions → General → Allow GitHub Actions to create and approve pull requests."]
      : []),
    "Commit the file and push it to the default branch.",
    FIRST_RUNS[start],
  ];
  return steps.map((step, index) => `  ${index + 1}. ${step}`);
}
