// agent-service init: asks what is not given, writes a workflow with the least permissions, and checks what it can.

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findCheckoutRoot } from "../base/git/found-checkout.ts";
import { httpUrl, matching, oneOf } from "../base/settings/kinds.ts";
import { type Kind, kind } from "../base/settings/setting.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { printExamination } from "./doctor.ts";
import { switchFlag, valueFlag } from "./flags.ts";
import {
  type ChangeMode,
  changeModes,
  initWorkflow,
  MODEL_KEY,
  type Start,
  starts,
  type WorkflowChoices,
} from "./init-workflow.ts";
import { openAsker } from "./questions.ts";

const FILE = ".github/workflows/agent.yml";
/** No account can have this name: whoever copied the project puts an account and a commit there. */
const UNNAMED_ACTION = "<owner>/agent-service@<commit>";

/** `url` is null where the agent works inside the job. */
type Place = { readonly url: string | null };

const placeKind: Kind<Place> = kind(
  'the address of a service, or "job" to work inside the job',
  (text): Place | undefined => {
    if (text.toLowerCase() === "job") return { url: null };
    const url = httpUrl.decode(text);
    return url.ok ? { url: url.value } : undefined;
  },
);
const startKind = oneOf(starts);
const changesKind = oneOf(changeModes);

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
    `job        inside the job, with a model's key as the repository's secret ${MODEL_KEY}`,
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
    await printExamination({ baseUrl: choices.baseUrl });
    return 0;
  },
});

type Given = {
  readonly start: Start | null;
  readonly at: Place | null;
  readonly changes: ChangeMode | null;
  readonly action: string;
};

async function choose({ start, at, changes, action }: Given): Promise<WorkflowChoices> {
  const asker = openAsker();
  try {
    const when = start ?? (await asker.ask(START_QUESTION));
    const { url } = at ?? (await asker.ask(PLACE_QUESTION));
    const kept = when === "reviews" ? "none" : (changes ?? (await asker.ask(CHANGES_QUESTION)));
    return { start: when, baseUrl: url, changes: kept, action };
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

function nextSteps({ start, baseUrl, changes, action }: WorkflowChoices): string[] {
  const opensPullRequests = changes === "pull-request" || (changes === "commit" && start === "comments");
  const steps = [
    ...(action === UNNAMED_ACTION
      ? [
          `Copy this project into an account of yours and put it, at a commit, in the place of ${UNNAMED_ACTION}.`,
        ]
      : []),
    ...(baseUrl === null ? [`Store a model's key as the repository's secret ${MODEL_KEY}.`] : []),
    ...(opensPullRequests
      ? ["Settings → Actions → General → Allow GitHub Actions to create and approve pull requests."]
      : []),
    "Commit the file and push it to the default branch.",
    start === "comments"
      ? 'Write "/agent help" on an issue.'
      : "Start it once by hand, and read its summary.",
  ];
  return steps.map((step, index) => `  ${index + 1}. ${step}`);
}
