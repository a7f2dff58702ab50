import { afterEach, describe, expect, it } from "vitest";
import { answer, call, fault, say } from "../../../../../fakes/model-server/turn.ts";
import { Conversation } from "../../../../../src/service/executor/backends/model/conversation.ts";
import { imageMessage } from "../../../../../src/service/executor/backends/model/image-messages.ts";
import { png } from "../../tools/images.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { expectWhole, ModelFixture, type ModelFixtureOptions, providers } from "./model-fixture.ts";

const image = png(12, 34);
const base64 = image.toString("base64");
/** How each wire spells an image. */
const imageForms: Readonly<Record<(typeof providers)[number], RegExp>> = {
  "openai-compatible": /"type":"image_url"/,
  openai: /"type":"input_image"/,
  anthropic: /"type":"image","source"/,
  google: /"inlineData":\{"mimeType":"image\/png"/,
};

describe.each(providers)("an image by %s", (provider) => {
  let fixture: ModelFixture;
  let recorder: TaskRecorder;
  const start = async (script: ModelFixtureOptions["script"]) => {
    recorder = new TaskRecorder();
    fixture = await ModelFixture.start({ provider, script, files: { "docs/a.png": image, "b.txt": "text" } });
  };
  afterEach(async () => {
    await expectWhole(recorder);
    await fixture.close();
  });
  const bodies = () => fixture.server.requests.map(({ body }) => JSON.stringify(body));

  it("that a tool shows is sent as an image, behind the results of all calls", async () => {
    await start([
      [call("view_image", { path: "docs/a.png" }), call("read_file", { path: "b.txt" })],
      say("Seen."),
    ]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    const [first = "", second = ""] = bodies();
    expect(first).not.toContain(base64);
    expect(second.split(base64)).toHaveLength(2);
    expect(second).toMatch(imageForms[provider]);
    const texts = fixture.server.toolResults().map(({ text }) => text);
    expect(texts[0]).toContain("docs/a.png: image/png, 12 x 34 pixels");
    expect(texts[1]).toBe("1\ttext");
    expect(second.lastIndexOf("1\\ttext")).toBeLessThan(second.indexOf(base64));
    expect(JSON.stringify(recorder.events)).not.toContain(base64);
  });

  it("that the request names is sent with it", async () => {
    await start([say("Seen.")]);
    const parts = [
      { type: "image" as const, path: "docs/a.png" },
      { type: "image" as const, path: "none.png" },
      { type: "image" as const, path: "/etc/passwd" },
      { type: "file" as const, path: "b.txt" },
    ];
    await fixture.run({ messages: [{ role: "user", content: "What is this?", parts }] }, recorder);
    const [first = ""] = bodies();
    expect(first.split(base64)).toHaveLength(2);
    expect(first.indexOf("What is this?")).toBeLessThan(first.indexOf(base64));
  });

  it.each([
    [404, "No endpoints found that support image input"],
    [400, "Invalid content type. image_url is only supported by certain models."],
    [400, "messages[3].content must be a string"],
  ])("that the API refuses (%i, %s) is replaced by words, and the run goes on", async (status, message) => {
    await start([call("view_image", { path: "docs/a.png" }), fault({ status, message }), say("Not seen.")]);
    expect(await fixture.run({}, recorder)).toEqual({ stopReason: "end_turn" });
    expect(recorder.text()).toBe("Not seen.");
    const last = bodies().at(-1) ?? "";
    expect(last).not.toContain(base64);
    expect(last).toContain("the model's API refused it");
  });

  it("does not hide another fault", async () => {
    await start([answer([say("x")]), say("y")]);
    await fixture.run({}, recorder);
    await fixture.close();
    await start([fault({ status: 400, message: "image of a fault" }), say("y")]);
    await expect(fixture.run({}, recorder)).rejects.toThrow("refused the request (400)");
  });
});

describe("a conversation with images", () => {
  it("removes those of old turns first, and counts each as providers do", () => {
    const old = imageMessage([{ label: "a.png", mediaType: "image/png", base64: "A".repeat(3_000_000) }]);
    if (old === null) throw new Error("There is no message.");
    const conversation = new Conversation([
      { role: "user", content: "task" },
      old,
      { role: "assistant", content: "seen" },
      { role: "user", content: "go on" },
    ]);
    expect(conversation.chars).toBeLessThan(8_000);
    conversation.fit(3_000);
    expect(JSON.stringify(conversation.messages)).toContain("[result removed to save room]");
    expect(JSON.stringify(conversation.messages)).not.toContain("AAAA");
    expect(conversation.messages).toHaveLength(4);
  });
});
