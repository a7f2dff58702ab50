// MCP servers of a run: the operator's, those of its submission, and the repository's own where it may have them.

import type { Checkout } from "../../../core/checkouts/checkout.ts";
import type { BackendTask } from "../../backend.ts";
import {
  type McpServer,
  type ReadServers,
  readServers,
  readServerText,
  type ServerVariables,
} from "./server-definition.ts";

const REPOSITORY_FILE = ".mcp.json";

type ServersOfRunParts = {
  readonly operators: readonly McpServer[];
  /** Whether every run has its repository's own, and what they take their secrets from. */
  readonly repositorys: { readonly isAlways: boolean; readonly variables: ServerVariables | null };
  readonly task: { readonly mcp: Pick<BackendTask["mcp"], "asked" | "mayUseRepositorys"> };
  readonly checkout: Pick<Checkout, "trustedText">;
};

/** Of servers of one name the operator's wins, then the submission's. A problem is a line for the run's readers. */
export async function serversOfRun(parts: ServersOfRunParts): Promise<ReadServers> {
  const { operators, repositorys, task, checkout } = parts;
  const { asked, mayUseRepositorys } = task.mcp;
  const found: ReadServers[] = [{ servers: operators, problems: [] }];
  // Its secrets would have to be stored with the run.
  if (asked !== null) found.push(readServers(asked, { origin: "workflow", variables: null }));
  if (repositorys.isAlways || mayUseRepositorys) {
    // Of the commit that writers agreed to: of a pull request, its base.
    const text = await checkout.trustedText(REPOSITORY_FILE);
    const { variables } = repositorys;
    // Asked for by name: a job that names the file means one that is there.
    if (text === null && repositorys.isAlways)
      found.push({
        servers: [],
        problems: [
          `the commit that writers agreed to has no file ${REPOSITORY_FILE}, or one of more than 256 KB`,
        ],
      });
    const read = text === null ? null : readServerText(text, { origin: "repository", variables });
    if (read !== null)
      found.push({ ...read, problems: read.problems.map((problem) => `${REPOSITORY_FILE}: ${problem}`) });
  }
  const servers: McpServer[] = [];
  const problems: string[] = [];
  for (const read of found) {
    problems.push(...read.problems);
    for (const server of read.servers) {
      const first = servers.find(({ name }) => name === server.name);
      if (first === undefined) servers.push(server);
      else
        problems.push(
          `${server.name} of the ${server.origin}: the ${first.origin} has a server of this name`,
        );
    }
  }
  return { servers, problems };
}
