// Which tools the model is offered for a task.

import type { Checkout } from "../../../core/ports/checkout.ts";
import type { BareTask, RepositoryTask } from "../../backend.ts";
import { gitChanges } from "../../tools/git-changes.ts";
import { gitLog } from "../../tools/git-log.ts";
import { listFiles } from "../../tools/list-files.ts";
import { readFile } from "../../tools/read-file.ts";
import { search } from "../../tools/search.ts";
import type { Tool } from "../../tools/tool.ts";

export type ToolboxContext = {
  readonly task: RepositoryTask | BareTask;
  /** Null where there are no files to work on. */
  readonly checkout: Checkout | null;
  /** Asks the stronger model; a refusal is an answer too. Null where the run has no advisor. */
  readonly askAdvisor: ((question: string) => Promise<string>) | null;
};

export type Toolbox = (context: ToolboxContext) => readonly Tool<unknown>[];

/** The tools that change nothing. */
export const readingToolbox: Toolbox = ({ checkout }) =>
  checkout === null ? [] : [readFile, listFiles, search, gitLog, gitChanges];
