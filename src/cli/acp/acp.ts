// agent-service acp: the service's agents in an editor, by the Agent Client Protocol on standard input and output.

import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { jobEnvironment } from "../../ci/environment.ts";
import { openClient, readServiceUrl, serviceUrlFlag } from "../account.ts";
import { command } from "../command.ts";
import { anyText, listFlag, switchFlag, valueFlag } from "../flags.ts";
import { signIn } from "../login.ts";
import { version } from "../version.ts";
import { editorAgent } from "./editor-agent.ts";

export const acp = command({
  summary: "Be an agent of an editor on standard input and output, by the Agent Client Protocol.",
  notes: [
    "For Zed, JetBrains and Neovim: docs/editors.md has the settings of each.",
    "What the folder has goes to a copy of a workspace, but what git ignores and files of credentials; the run works there, and its changes come back as edits that you are asked about.",
  ],
  flags: {
    url: serviceUrlFlag,
    workspace: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<workspace>",
      description: "The workspace, by its id or its name.",
      shownDefault: "the folder's, or a new one of its name",
    }),
    agent: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<agent>",
      description: "The agent, by its id or its name.",
      shownDefault: "the workspace's manager",
    }),
    exclude: listFlag({
      takes: "<glob>",
      description: "Paths that do not travel, such as data/**. Repeatable.",
    }),
    login: switchFlag("Sign in, and end: what editors execute in a terminal for that."),
  },
  examples: ["acp", "acp --url https://agents.example.com --agent helper"],
  run: async ({ flags }) => {
    const url = flags.url ?? readServiceUrl("--url");
    if (flags.login) {
      await signIn(url, null);
      return 0;
    }
    const app = editorAgent({
      url,
      openClient: () => openClient({ url }),
      workspace: flags.workspace,
      agent: flags.agent,
      excluded: flags.exclude ?? [],
      environment: jobEnvironment,
      version,
      log: (text) => void process.stderr.write(`${text}\n`),
    });
    const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
    await app.connect(ndJsonStream(output, input)).closed;
    return 0;
  },
});
