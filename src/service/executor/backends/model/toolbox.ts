// Tools that the model is offered for a task.

import type { Checkout } from "../../../core/checkouts/checkout.ts";
import type { BareTask, RepositoryTask } from "../../backend.ts";
import type { BackgroundProcesses } from "../../processes/background-processes.ts";
import type { AskedQuestion } from "../../tools/ask-question.ts";
import type { Explore } from "../../tools/explore.ts";
import { gitBlame } from "../../tools/git-blame.ts";
import { gitChanges } from "../../tools/git-changes.ts";
import { gitDiff } from "../../tools/git-diff.ts";
import { gitLog } from "../../tools/git-log.ts";
import { gitShow } from "../../tools/git-show.ts";
import { listFiles } from "../../tools/list-files.ts";
import { readFile } from "../../tools/read-file.ts";
import { search } from "../../tools/search.ts";
import type { Tool } from "../../tools/tool.ts";
import { viewImage } from "../../tools/view-image.ts";

type ToolboxContext = {
  readonly task: RepositoryTask | BareTask;
  /** Null where there are no files to work on. */
  readonly checkout: Checkout | null;
  /** Asks the stronger model; a refusal is an answer too. Null where the run has no advisor. */
  readonly askAdvisor: ((question: string) => Promise<string>) | null;
  /** Ends the run with a question once the turn is over. Null where nobody could answer it. */
  readonly askPeople: ((asked: AskedQuestion) => void) | null;
  /** Has an explorer answer a question. */
  readonly explore: Explore;
  /** Null where the run executes no commands. */
  readonly processes: BackgroundProcesses | null;
};

export type Toolbox = (context: ToolboxContext) => readonly Tool<unknown>[];

/** Null where the run executes no commands. They end with the run. */
export type OpenProcesses = (context: {
  readonly task: RepositoryTask | BareTask;
  readonly checkout: Checkout;
}) => BackgroundProcesses | null;

/** Null where the run executes no commands, or little is known of where. */
export type DescribePlace = (context: Pick<ToolboxContext, "task" | "checkout">) => Promise<string | null>;

/** The tools that change nothing. */
export const readingToolbox = ({ checkout }: Pick<ToolboxContext, "checkout">): readonly Tool<unknown>[] =>
  checkout === null
    ? []
    : [readFile, listFiles, search, gitLog, gitChanges, gitDiff, gitShow, gitBlame, viewImage];
