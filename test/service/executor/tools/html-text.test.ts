import fc from "fast-check";
import { expect, it } from "vitest";
import { htmlToText } from "../../../../src/service/executor/tools/html-text.ts";

it.each([
  ["<h1>Title</h1><p>One\n  two <b>three</b>.<p>Four", "Title\n\nOne two three.\nFour"],
  ["<ul><li>a<li>b</ul>", "- a\n- b"],
  ["<pre>  if a:\n    b()</pre>", "if a:\n    b()"],
  ["a<script>var x = '<p>no</p>';</script>b<STYLE>p{}</STYLE >c", "abc"],
  ["a<script>never closed", "a"],
  ["a<!-- <b>no</b> -->b<!doctype html>c<?php no ?>d", "abcd"],
  ["1 < 2 &amp;&lt;&#65;&#x42;&nbsp;&copy;&#0;&#x110000;", "1 < 2 &<AB &copy;&#0;&#x110000;"],
  ["a<br>b<br/>c<BR>d", "a\nb\nc\nd"],
  ["a<b", "a"],
  ["", ""],
])("makes of %j: %j", (html, text) => {
  expect(htmlToText(html)).toBe(text);
});

it("gives well-formed text of whatever it is given", () => {
  const piece = fc.oneof(
    fc.constantFrom("<", ">", "<script>", "</script", "<!--", "&#xD800;", "<pre>"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(htmlToText(pieces.join("")).isWellFormed()).toBe(true);
    }),
  );
});

it.each(["<script>", "<script", "<!--", "<", "&", "</", "\n ", "<pre>\n"])(
  "is not slowed down by %j upon itself",
  (piece) => {
    htmlToText(piece.repeat(2_000_000 / piece.length));
  },
);
