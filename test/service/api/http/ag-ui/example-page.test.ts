// examples/ag-ui: the page in a real browser, on another origin than the service's, with the client built as docs/ag-ui.md says.

import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ScriptedRuns } from "../../../../support/ag-ui/scripted-runs.ts";
import { openBrowser, type TestBrowser } from "../../../../support/browser/open-browser.ts";
import { sqliteStore } from "../../../../support/stores/stores.ts";

const EXAMPLE = join(import.meta.dirname, "../../../../../examples/ag-ui");

describe("the page of examples/ag-ui", { tags: ["chromium"] }, () => {
  let pages: Server;
  let runs: ScriptedRuns;
  let browser: TestBrowser;
  let origin: string;

  beforeAll(async () => {
    const built = await build({
      stdin: { contents: 'export * from "@ag-ui/client";', resolveDir: EXAMPLE },
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
      logLevel: "silent",
    });
    const script = built.outputFiles[0]?.text ?? "";
    const html = await readFile(join(EXAMPLE, "index.html"), "utf8");
    pages = createServer((request, response) => {
      const isScript = request.url === "/ag-ui-client.js";
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
      response.end(isScript ? script : html);
    }).listen(0, "127.0.0.1");
    await once(pages, "listening");
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    runs = await ScriptedRuns.start(sqliteStore, [origin]);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await runs.close();
    pages.close();
  });

  it("asks the agent, shows what it says, and answers its question", async () => {
    const page = await browser.openPage({ colorScheme: "light", width: 1280 });
    const place = new URLSearchParams({ url: runs.url, key: runs.account.owner });
    await page.goto(`${origin}/#${place}`);
    const send = async (message: string, answer: string) => {
      await page.getByLabel("Message").fill(message);
      await page.getByRole("button").click();
      await page.getByText(answer, { exact: true }).waitFor();
    };
    await send("hello", "Heard hello");
    await send("question", "Which one?");
    await send("the first", "Went on with: the first");
    expect(runs.heard).toEqual(["hello", "question"]);
  });
});
