// Workflow engines beside our journal, each at one version: installed from the registry into a folder that is removed afterwards,
// each in a database of its own. Absurd's tables are no part of its package: they come from its repository, or from the
// file at BENCH_ABSURD_SQL.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { opened } from "../../scripts/opened.ts";
import { benchDatabaseUrl } from "../postgres-schema.ts";
import type { StepFigures } from "./measure-journal.ts";

const ENGINE_MS = 120_000;
const INSTALL_MS = 120_000;
/** Its tables, as of 2026-06-25: its package has none. */
const ABSURD_SQL =
  "https://raw.githubusercontent.com/earendil-works/absurd/c4abe246b2820be91dcfe4a7b5a97565a6d4fee4/sql/absurd.sql";
const execute = promisify(execFile);

const packages = {
  absurd: "absurd-sdk@0.5.0",
  openworkflow: "openworkflow@0.10.1",
  dbos: "@dbos-inc/dbos-sdk@5.3.0",
} as const;

/** Packages that an engine leaves to be installed beside it. */
const drivers: Readonly<Record<string, readonly string[]>> = { openworkflow: ["postgres@^3.4.9"] };

/** One line of text an engine: its figures, or why there are none. Empty where there is no PostgreSQL. */
export async function measureEngines(): Promise<readonly string[]> {
  if (benchDatabaseUrl === undefined) return [];
  const folder = await mkdtemp(join(tmpdir(), "agent-service-bench-"));
  const removeFolder = opened(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  const lines: string[] = [];
  for (const [name, version] of Object.entries(packages)) {
    lines.push(
      await measureEngine({ name, version, folder }).then(
        ({ perSecond, cpuMs }) => `${Math.round(perSecond)}/s, ${cpuMs.toFixed(2)} ms CPU ${version}`,
        (cause: unknown) =>
          `${version} not measured: ${String(cause instanceof Error ? cause.message : cause).split("\n", 1)[0]}`,
      ),
    );
  }
  await removeFolder();
  return lines;
}

async function measureEngine(of: {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}): Promise<StepFigures> {
  const { name, version, folder } = of;
  const install = [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    version,
    ...(drivers[name] ?? []),
  ];
  await execute("npm", install, { cwd: folder, timeout: INSTALL_MS });
  if (name === "absurd") await fetchAbsurdTables(join(folder, "absurd.sql"));
  const database = `bench_${randomBytes(6).toString("hex")}`;
  await query(`create database ${database}`);
  const drop = opened(() => query(`drop database ${database} with (force)`));
  const url = new URL(benchDatabaseUrl ?? "");
  url.pathname = `/${database}`;
  const script = join(import.meta.dirname, "engine.ts");
  try {
    const { stdout } = await execute(process.execPath, [script, name, folder, url.href], {
      timeout: ENGINE_MS,
    });
    // An engine may write lines of its own first.
    const line = stdout.trim().split("\n").at(-1) ?? "";
    return JSON.parse(line) as StepFigures;
  } finally {
    await drop();
  }
}

async function fetchAbsurdTables(file: string): Promise<void> {
  const given = process.env.BENCH_ABSURD_SQL;
  if (given !== undefined) return await copyFile(given, file);
  const response = await fetch(ABSURD_SQL);
  if (!response.ok) throw new Error(`${ABSURD_SQL} answered with ${response.status}.`);
  await writeFile(file, await response.text());
}

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: benchDatabaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
