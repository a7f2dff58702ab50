// What a coding agent is asked by the protocol, and what it answers: a program of the agent's name that passes both on, and keeps
// them in a folder.

import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Message = {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message?: string; readonly data?: unknown };
};

export class AgentTrace {
  /** For PATH, before the agent's own. */
  readonly bin: string;
  readonly #folder: string;

  /** `real` is the path of the agent's own program. */
  constructor(folder: string, { program, real }: { readonly program: string; readonly real: string }) {
    this.#folder = join(folder, "trace");
    this.bin = join(folder, "bin");
    mkdirSync(this.#folder, { recursive: true });
    mkdirSync(this.bin, { recursive: true });
    const place = join(this.#folder, "$at");
    const lines = [
      "#!/bin/sh",
      "at=$(date +%s%N)",
      `tee "${place}.asked" | "${real}" "$@" | tee "${place}.said"`,
    ];
    writeFileSync(join(this.bin, program), `${lines.join("\n")}\n`);
    chmodSync(join(this.bin, program), 0o755);
  }

  /** One list a process, in the order of their starts: how each has opened its session, with what it said against it. */
  get openings(): readonly (readonly string[])[] {
    const starts = readdirSync(this.#folder).filter((name) => name.endsWith(".asked"));
    return starts.toSorted().map((name) => {
      const said = messagesIn(join(this.#folder, name.replace(/asked$/, "said")));
      return messagesIn(join(this.#folder, name)).flatMap(({ id, method }) => {
        if (!["session/new", "session/resume", "session/load", "session/prompt"].includes(method ?? ""))
          return [];
        const answer = said.find((one) => one.method === undefined && one.id === id);
        const error = answer === undefined ? { message: "no answer", data: null } : answer.error;
        return [
          error === undefined ? `${method}` : `${method} (${error.message} ${JSON.stringify(error.data)})`,
        ];
      });
    });
  }
}

/** A process that was killed may have left half a line. */
function messagesIn(path: string): readonly Message[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Message];
      } catch {
        return [];
      }
    });
}
