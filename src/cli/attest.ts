// agent-service attest: proofs of who asked which agent for a commit.

import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findCheckoutRoot, readCheckout } from "../base/git/found-checkout.ts";
import { createGit } from "../base/git/git.ts";
import { line, matching } from "../base/settings/kinds.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { serverUrl } from "../ci/github-server.ts";
import type { AgentRun } from "../contract/attestations/agent-run.ts";
import { attestationFields } from "./attestations/attestation-fields.ts";
import { type CommitDigests, checkStatement } from "./attestations/check-statement.ts";
import { fetchBundles, readBundles } from "./attestations/find-bundles.ts";
import { type Expected, identityFault, type SignerIdentity } from "./attestations/identity.ts";
import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument, requiredFlag, switchFlag, valueFlag } from "./flags.ts";
import { printFields, printJson, printText } from "./print.ts";

const MAX_REF_CHARS = 255;
const MAX_WHY_CHARS = 500;
/** Of jobs on github.com. */
const GITHUB_ISSUER = "https://token.actions.githubusercontent.com";

const verify = command({
  summary:
    "Verify who asked which agent for a commit: the signed statement about it, its signer and its fields.",
  notes: [
    'The trusted roots are those of Sigstore and of GitHub: "gh attestation trusted-root > trusted_root.jsonl" writes them.',
    "The statements come from GitHub (GITHUB_API_URL, and GITHUB_TOKEN where the repository is not public), or from --bundle.",
    "Ends with 1 where no statement is good.",
  ],
  arguments: {
    commit: argument(line({ maxChars: MAX_REF_CHARS }), "A commit of the checkout in this folder."),
  },
  flags: {
    "trusted-root": requiredFlag({
      kind: anyText,
      takes: "<file>",
      description: "Trusted roots, one a line.",
    }),
    repo: valueFlag({
      kind: matching("owner/name", /^[\w.-]+\/[\w.-]+$/),
      fallback: null,
      takes: "<owner/name>",
      description: "The repository that the job must have worked for.",
      shownDefault: "that of the checkout's origin",
    }),
    workflow: valueFlag({
      kind: matching(
        "a path like .github/workflows/agent.yml, or owner/name/.github/workflows/agent.yml",
        /^([\w.-]+\/[\w.-]+\/)?\.github\/workflows\/[\w.-]+$/,
      ),
      fallback: null,
      takes: "<path>",
      description: "The workflow that must have signed.",
      shownDefault: "any of the repository",
    }),
    issuer: valueFlag({
      kind: anyText,
      fallback: GITHUB_ISSUER,
      takes: "<url>",
      description: "Who vouched for the job.",
    }),
    bundle: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<file>",
      description: 'Bundles in the place of GitHub\'s, as "gh attestation download" writes them.',
      shownDefault: "asked of GitHub",
    }),
    json: switchFlag("Print JSON on standard output."),
  },
  examples: [
    "attest verify HEAD --trusted-root trusted_root.jsonl",
    "attest verify HEAD --trusted-root trusted_root.jsonl --workflow .github/workflows/agent.yml",
  ],
  run: async ({ arguments: { commit: ref }, flags }) => {
    const found = await readCommit(ref);
    const repository = flags.repo ?? found.repository;
    if (repository === null)
      throw new CommandError(
        "The checkout has no origin that names a repository. Give it as --repo owner/name.",
      );
    const expected: Expected = {
      issuer: flags.issuer,
      serverUrl: serverUrl(jobEnvironment),
      repository,
      workflow: flags.workflow,
    };
    const bundles =
      flags.bundle === null
        ? await fetchBundles({ ...githubAccess(), repository }, found.sha256)
        : await readBundles(flags.bundle);
    const roots = await readFile(flags["trusted-root"], "utf8").catch((cause: unknown) => {
      throw new CommandError(`--trusted-root cannot be read: ${messageOf(cause)}.`);
    });
    const judged = await judge({ bundles, roots, commit: found, expected });
    if (flags.json) printJson(jsonOf(found, judged));
    else say({ sha: found.sha, repository }, judged);
    return judged.attested === null ? 1 : 0;
  },
});

export const attest: CommandGroup = {
  summary: "Verify who asked which agent for a commit.",
  commands: { verify },
};

function githubAccess(): { readonly apiUrl: string; readonly token: string } {
  const { GITHUB_API_URL: apiUrl = "https://api.github.com", GITHUB_TOKEN, GH_TOKEN } = jobEnvironment;
  return { apiUrl: apiUrl.replace(/\/+$/, ""), token: (GITHUB_TOKEN || GH_TOKEN || "").trim() };
}

type FoundCommit = CommitDigests & { readonly repository: string | null };

/** Of the checkout that this folder is in. */
async function readCommit(ref: string): Promise<FoundCommit> {
  const root = await findCheckoutRoot(process.cwd());
  if (root === null)
    throw new CommandError("This folder is in no git checkout: change to that of the repository.");
  const home = await mkdtemp(join(tmpdir(), "agent-service-attest-"));
  const { signal } = new AbortController();
  try {
    const checkout = await readCheckout({ root, home, environment: jobEnvironment }, signal);
    const place = { environment: jobEnvironment, home, gitFolder: join(root, ".git"), treeFolder: root };
    const git = createGit(place);
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const named = await git({ args, signal, allowedExitCodes: [0, 1, 128] });
    const sha = named.stdout.toString("utf8").trim();
    if (sha === "")
      throw new CommandError(
        `There is no commit "${ref}" in this checkout: fetch it, with all of its history where that is shallow.`,
      );
    const { stdout } = await git({ args: ["cat-file", "commit", sha], signal });
    const sha256 = createHash("sha256").update(stdout).digest("hex");
    return { sha, sha256, repository: checkout?.repository ?? null };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

type Attested = {
  readonly run: AgentRun;
  readonly identity: SignerIdentity;
  readonly logIndex: string | null;
};

type Judged = {
  /** Null where no statement is good. */
  readonly attested: Attested | null;
  /** A sentence for each that is not. */
  readonly faults: readonly string[];
};

type Judging = {
  readonly bundles: readonly unknown[];
  readonly roots: string;
  readonly commit: CommitDigests;
  readonly expected: Expected;
};

async function judge({ bundles, roots, commit, expected }: Judging): Promise<Judged> {
  const { readTrustedRoots, verifyBundle } = await import("./attestations/verify-bundle.ts");
  const trusted = orCommandError(() => readTrustedRoots(roots));
  const faults: string[] = [];
  for (const bundle of bundles) {
    try {
      const verified = verifyBundle(bundle, trusted);
      const fault = identityFault(verified.identity, expected);
      const statement = checkStatement(verified, commit);
      if (fault === null && statement.ok) {
        const { identity, logIndex } = verified;
        return { attested: { run: statement.value, identity, logIndex }, faults };
      }
      faults.push(fault ?? (statement.ok ? "" : statement.refusal));
    } catch (cause) {
      faults.push(`Its signature is not good: ${singleLine(messageOf(cause), MAX_WHY_CHARS)}.`);
    }
  }
  return { attested: null, faults };
}

function orCommandError<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw new CommandError(
      `--trusted-root: ${messageOf(cause)} "gh attestation trusted-root" writes a file of them.`,
    );
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "unknown";
}

function jsonOf({ sha, sha256 }: CommitDigests, { attested, faults }: Judged) {
  const { run = null, identity = null, logIndex = null } = attested ?? {};
  return {
    commit: sha,
    sha256,
    verified: attested !== null,
    faults,
    identity,
    log_index: logIndex,
    predicate: run,
  };
}

function say(
  { sha, repository }: { readonly sha: string; readonly repository: string },
  { attested, faults }: Judged,
): void {
  const name = `Commit ${sha.slice(0, 7)} of ${repository}`;
  for (const fault of faults) printText(`A statement about it is not good. ${fault}`);
  if (attested === null) {
    const why = faults.length === 0 ? " Nothing says who asked for it: there is no statement about it." : "";
    printText(`${name} is not verified.${why}`);
    return;
  }
  printText(`${name} is verified.\n`);
  printFields(attestationFields(attested.run, attested));
}
