// The changes of a run on its page: what leads to the whole file, and what has none.

import { expect, it } from "vitest";
import type { ChangesEvent } from "../../../src/contract/runs/changes.ts";
import { toHtml } from "../../../src/render/html/element.ts";
import { changesSection } from "../../../src/render/run-page/changes-section.ts";

const patch = `diff --git a/a b.ts b/a b.ts
--- a/a b.ts
+++ b/a b.ts
@@ -1 +1 @@ before
-const one = 1;
+const two = 1;
diff --git a/old.ts b/new.ts
similarity index 50%
rename from old.ts
rename to new.ts
--- a/old.ts
+++ b/new.ts
@@ -1 +1 @@
-x
+y
diff --git a/made.ts b/made.ts
new file mode 100644
--- /dev/null
+++ b/made.ts
@@ -0,0 +1 @@
+made
`;
const file = (path: string, status: "modified" | "renamed" | "added") => ({
  path,
  status,
  additions: 1,
  deletions: status === "added" ? 0 : 1,
});
const changes = {
  base_sha: "1".repeat(40),
  files: [file("a b.ts", "modified"), file("new.ts", "renamed"), file("made.ts", "added")],
  patch,
} as ChangesEvent["value"];
const filesUrl = "https://host.example/octo/hello/blob/abc";

it("links each file to its version before the change, where there is one", () => {
  const html = toHtml(changesSection(changes, { base: "/run", filesUrl }));
  const links = [...html.matchAll(/href="(https:[^"]*)"/g)].map(([, href]) => href);
  expect(links).toEqual([`${filesUrl}/a%20b.ts`, `${filesUrl}/old.ts`]);
  expect(toHtml(changesSection(changes, { base: "/run", filesUrl: null }))).not.toContain("https:");
});

it("has the numbers of both versions, marks the words that changed, and says what a file was called", () => {
  const html = toHtml(changesSection(changes, { base: "/run", filesUrl: null }));
  expect(html).toContain('<div class="removed" data-old="1"><code>const <mark>one</mark> = 1;</code></div>');
  expect(html).toContain('<div class="added" data-new="1"><code>const <mark>two</mark> = 1;</code></div>');
  expect(html).toContain("old.ts → new.ts");
});
