import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod/mini";
import { GitLabBench } from "./gitlab-bench.ts";

let bench: GitLabBench;
beforeEach(async () => {
  bench = await GitLabBench.open();
});
afterEach(async () => await bench.close());

it("has the refusal's own words, where GitLab gives a list of them too", async () => {
  const message = "Another open merge request already exists for this source branch: !9";
  bench.gitlab.fail(/^POST \/merge_requests$/, {
    status: 409,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: [message] }),
  });
  const write = { method: "POST", path: "/merge_requests", body: {} } as const;
  await expect(bench.api().write(write, z.unknown())).rejects.toMatchObject({ status: 409, detail: message });
});
