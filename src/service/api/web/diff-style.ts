// The style of a diff: one column, and side by side where there is room and the reader did not choose otherwise. The colours of code have
// a contrast of at least 4.5 on each ground that a line and its changed words may have.

/** The width from which versions are side by side. */
const WIDE = "68.75rem";

const SPLIT = ".diffs:has(.split input:checked) .diff:not(.one)";

export const diffStyle = `
:root {
  --plus-back: light-dark(#e6ffec, #10261a); --plus-mark: light-dark(#b7f0c5, #1b4a2b);
  --minus-back: light-dark(#ffebe9, #2b161a); --minus-mark: light-dark(#ffd3d0, #5a2327);
  --number: light-dark(#4d565f, #b0b8c1);
  --code-comment: light-dark(#4d565f, #b0b8c1); --code-string: light-dark(#0b5563, #9be0dc); --code-constant: light-dark(#0550ae, #8fc7ff);
  --code-keyword: light-dark(#9c1c36, #ffaba8); --code-name: light-dark(#6236b0, #d6b8ff);
}
.added { color: var(--good) } .removed { color: var(--bad) }
.card .changes h2 { font-size: .9375rem }
.diffs > .row { align-items: center } .diffs .split { display: none; margin: 0 }
.file-list { padding-left: 1.75rem; margin: .5rem 0 } .file-list li { padding: .1rem 0 }
.file { border: 1px solid var(--line); border-radius: 6px; margin: .75rem 0; scroll-margin-top: .5rem } .file:target { border-color: var(--accent) }
.file > summary { position: sticky; top: 0; z-index: 1; background: var(--raised); border-radius: 6px; padding: .4rem .75rem; display: flex; flex-wrap: wrap; gap: .1rem .75rem; align-items: baseline }
.file > summary::before { content: "▸"; color: var(--faint) } .file[open] > summary::before { content: "▾" }
.file > summary::-webkit-details-marker { display: none } .file > summary > code { min-width: 0; flex: 0 1 auto; font-weight: 600 }
.file[open] > summary { border-bottom: 1px solid var(--line); border-radius: 6px 6px 0 0 } .file > summary > .end { margin-left: auto; white-space: nowrap }
.file .fact { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; font-size: .8125rem; color: var(--number) }
.file > p { margin: 0; padding: .4rem .75rem; font-size: .875rem }
.bar { display: inline-flex; gap: 2px; margin-left: .25rem } .bar i { width: .55rem; height: .55rem; border: 1px solid var(--edge); border-radius: 2px }
.bar .plus { background: var(--good); border-color: var(--good) } .bar .minus { background: var(--bad); border-color: var(--bad); border-radius: 50% }
.diff { overflow: hidden; border-radius: 0 0 6px 6px; font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.diff .hunk, .diff .tail { padding: .15rem .75rem; color: var(--number); background: var(--raised) } .diff .hunk { border-block: 1px solid var(--line) }
.diff .hunk:first-child { border-top: 0 } .diff .hunk { overflow-wrap: anywhere } .diff .range { margin-right: .5rem; user-select: none }
.diff .tail { font-style: italic; padding-left: 7.5rem; user-select: none }
.lines { display: grid; grid-template-columns: minmax(0, 1fr) }
.lines > :not(.tail) { display: grid; grid-template-columns: 3.25rem 3.25rem minmax(0, 1fr); color: var(--text); background: var(--back) }
.lines > .added { background: var(--plus-back) } .lines > .removed { background: var(--minus-back) } .lines > .copy:not(.tail) { display: none }
.lines > ::before, .lines > ::after { color: var(--number); text-align: right; padding-right: .6rem; user-select: none; font-variant-numeric: tabular-nums }
.lines > :not(.tail)::before { content: attr(data-old) / ""; order: 0 } .lines > :not(.tail)::after { content: attr(data-new) / ""; order: 1 }
.diff code { order: 2; font: inherit; display: block; position: relative; min-height: 1.5em; padding: 0 .75rem 0 1.25rem; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4 }
.diff code::before { position: absolute; left: .25rem; user-select: none }
.lines > .added > code::before { content: "+" / "added: " } .lines > .removed > code::before { content: "−" / "removed: " }
.diff .c { color: var(--code-comment); font-style: italic } .diff .s { color: var(--code-string) } .diff .n { color: var(--code-constant) }
.diff .k { color: var(--code-keyword) } .diff .f { color: var(--code-name) }
.diff mark { color: inherit; background: none; border-radius: 2px } .added mark { background: var(--plus-mark) } .removed mark { background: var(--minus-mark) }
@media (max-width: 40rem) {
  .lines > :not(.tail) { grid-template-columns: 2.4rem 2.4rem minmax(0, 1fr) } .lines > ::before, .lines > ::after { padding-right: .3rem; font-size: .6875rem }
  .diff .tail { padding-left: 1rem } .diff code { padding-right: .25rem }
}
@media (min-width: ${WIDE}) {
  .diffs .split { display: flex }
  .card .diffs:has(.split input:checked):has(.diff:not(.one)) { --room: 100%; margin-left: 0 }
  .diffs:has(.split input:checked):has(.diff:not(.one)) { --room: min(94vw, 100rem); width: var(--room); margin-left: calc(50% - var(--room) / 2) }
  ${SPLIT} .lines { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); grid-auto-flow: row dense; background: var(--raised) }
  ${SPLIT} .lines > :not(.tail) { grid-template-columns: 3.25rem minmax(0, 1fr) }
  ${SPLIT} .lines > .same, ${SPLIT} .lines > .removed, ${SPLIT} .lines > .tail.old { grid-column: 1 }
  ${SPLIT} .lines > .copy, ${SPLIT} .lines > .added, ${SPLIT} .lines > .tail { grid-column: 2 } ${SPLIT} .lines > .copy { display: grid; user-select: none }
  ${SPLIT} .lines > .same::after, ${SPLIT} .lines > .removed::after, ${SPLIT} .lines > .copy::before, ${SPLIT} .lines > .added::before { display: none }
  ${SPLIT} .lines > .copy, ${SPLIT} .lines > .added { border-left: 1px solid var(--line) } ${SPLIT} .tail { padding-left: 4.5rem }
}
@media (forced-colors: active) { .diff mark { text-decoration: underline } }
`;
