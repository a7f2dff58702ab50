// Every folder and file of a commit, read out of a checkout's objects by one process of git.

import { createGit } from "../../base/git/git.ts";
import { ok } from "../../base/result.ts";
import type { CheckoutProvider } from "../core/checkouts/checkout.ts";
import type {
  RepositoryObject,
  RepositoryTree,
  RepositoryTrees,
} from "../core/checkouts/repository-trees.ts";
import { askObjects, ObjectQuestions } from "./cat-file.ts";
import { isSubmodule, namedBy } from "./scratch/given-trees.ts";

/** A folder with more entries is not read. */
const MAX_TREE_BYTES = 64 * 1024 * 1024;
/** Reading all of a large repository takes so many times as long as one call may. */
const TIMEOUT_FACTOR = 10;

type Options = {
  readonly checkouts: CheckoutProvider;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export function repositoryTrees({ checkouts, environment }: Options): RepositoryTrees {
  return {
    open: async (source, signal) => {
      const opened = await checkouts.open(source, signal);
      if (!opened.ok) return opened;
      const checkout = opened.value;
      const { root: treeFolder, gitFolder } = checkout;
      if (gitFolder === undefined) throw new TypeError("A borrowed checkout is not adopted.");
      const git = createGit({ environment, gitFolder, treeFolder, home: gitFolder });
      try {
        const { stdout } = await git({ args: ["rev-parse", "--verify", `${source.sha}^{tree}`], signal });
        const root = stdout.toString("latin1").trim();
        const tree: RepositoryTree = {
          root,
          objects: () => read(git, root, signal),
          close: () => checkout.close(),
        };
        return ok(tree);
      } catch (cause) {
        await checkout.close();
        throw cause;
      }
    },
  };
}

async function* read(
  git: ReturnType<typeof createGit>,
  root: string,
  signal: AbortSignal,
): AsyncGenerator<RepositoryObject> {
  const questions = new ObjectQuestions();
  const asked = new Set<string>();
  const ask = (oid: string) => {
    if (asked.has(oid)) return;
    asked.add(oid);
    questions.add(oid);
  };
  ask(root);
  for await (const answer of askObjects({ git, questions, signal, timeoutFactor: TIMEOUT_FACTOR })) {
    const { oid, type, size } = answer;
    if (type === "tree") {
      if (size > MAX_TREE_BYTES) throw new RangeError(`Folder ${oid} has ${size} bytes of entries.`);
      const data = await answer.bytes(size);
      // A submodule's commit is in another repository.
      for (const entry of namedBy(data)) if (!isSubmodule(entry)) ask(entry.oid);
      yield { kind: "tree", oid, size, content: () => only(data) };
    } else if (type === "blob") {
      yield { kind: "blob", oid, size, content: answer.content };
    } else throw new TypeError(`Object ${oid} of the commit is ${type}.`);
  }
}

async function* only(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield data;
}
