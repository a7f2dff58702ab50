// The style of every page, in light and in dark. One file: a page loads it once.

export const style = `
:root {
  color-scheme: light dark;
  --back: light-dark(#ffffff, #0e1116); --raised: light-dark(#f6f7f9, #161b22); --card: light-dark(#ffffff, #12161c);
  --text: light-dark(#1c2026, #e6e9ee); --faint: light-dark(#59616c, #98a1ad);
  --line: light-dark(#dfe3e8, #2b323b); --edge: light-dark(#818b98, #656c76);
  --link: light-dark(#4338ca, #a9b3ff); --accent: light-dark(#4338ca, #a9b3ff); --on-accent: light-dark(#ffffff, #12141c);
  --good: light-dark(#0a6640, #4ac080); --warn: light-dark(#8a4600, #e3a04f); --bad: light-dark(#b3261e, #ff8a80);
  --good-back: light-dark(#e9f6ef, #10251b); --warn-back: light-dark(#fdf4e5, #2a2012); --bad-back: light-dark(#fdeeec, #2e1917);
  --accent-back: light-dark(#eeeffd, #1c1f38);
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Noto Color Emoji";
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace, "Apple Color Emoji", "Noto Color Emoji";
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; background: var(--back); color: var(--text); font: .9375rem/1.55 var(--sans); overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: .15em }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px }
code, pre { font: .875em/1.5 var(--mono) }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .75rem; overflow-x: auto; overflow-wrap: normal }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere }
.skip { position: absolute; left: -100rem } .skip:focus { left: .5rem; top: .5rem; background: var(--back); padding: .5rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.top { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; padding: .5rem 1.25rem; background: var(--raised); border-bottom: 1px solid var(--line); font-size: .875rem }
.top .home { font-weight: 650; font-size: .9375rem; color: inherit; text-decoration: none; display: flex; gap: .5rem; align-items: center }
.top form { margin: 0 } .top .end { margin-left: auto }
.top nav ul { display: flex; flex-wrap: wrap; gap: 0 .25rem; list-style: none; margin: 0; padding: 0 }
.top nav a { display: block; padding: .35rem .6rem; border-radius: 6px; color: var(--faint); text-decoration: none; font-weight: 500 }
.top nav a:hover { color: var(--text); background: var(--line) }
.top nav a[aria-current] { color: var(--text); background: var(--accent-back) }
.top .account { color: inherit; text-decoration: none }
@media (max-width: 48rem) { .top nav { order: 1; width: 100%; margin-left: -.6rem } }
main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem 5rem }
main.narrow { max-width: 32rem }
h1 { font-size: 1.4rem; line-height: 1.3; letter-spacing: -.01em; margin: 1rem 0 .5rem }
h2 { font-size: 1.0625rem; margin: 2rem 0 .5rem }
h3 { font-size: .9375rem; margin: 1.25rem 0 .25rem }
.faint { color: var(--faint) } .good { color: var(--good) } .warn { color: var(--warn) } .bad { color: var(--bad) }
.note { border: 1px solid var(--line); border-left: 4px solid var(--accent); border-radius: 8px; padding: .6rem .9rem; margin: 1rem 0 }
.note.bad { border-left-color: var(--bad); color: inherit } .note.warn { border-left-color: var(--warn); color: inherit }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .75rem 1rem; margin: .75rem 0 }
.card > h2:first-child { font-size: 1rem } .card > :first-child { margin-top: 0 } .card > :last-child { margin-bottom: 0 }
.empty { border: 1px dashed var(--edge); border-radius: 8px; padding: 1rem 1.25rem; margin: .75rem 0; color: var(--faint) }
.empty > :first-child { margin-top: 0 } .empty > :last-child { margin-bottom: 0 } .empty strong { color: var(--text) }
fieldset { border: 0; padding: 0; margin: 1rem 0 } legend { font-weight: 500; padding: 0 } fieldset label { margin: .35rem 0 0 }
.cards { list-style: none; padding: 0; margin: 0 }
.row { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline }
.row > .end { margin-left: auto }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--faint); font-weight: 500; font-size: .875rem }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem }
dt { color: var(--faint) } dd { margin: 0 }
@media (max-width: 32rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: .5rem } }
label { display: block; font-weight: 500; margin: .9rem 0 .25rem }
label.inline { display: flex; gap: .5rem; align-items: baseline; font-weight: 400 }
input:not([type=checkbox], [type=radio]), select, textarea {
  width: 100%; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--edge); border-radius: 8px; padding: .45rem .6rem
}
textarea { min-height: 6rem; resize: vertical }
.hint { color: var(--faint); font-size: .875rem; margin: .25rem 0 0 }
.error { color: var(--bad); margin: .25rem 0 0 }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0 }
.actions form { margin: 0 }
button, .button {
  font: inherit; font-weight: 500; min-height: 2.25rem; padding: .3rem .9rem; border-radius: 8px; border: 1px solid var(--edge);
  background: var(--raised); color: var(--text); cursor: pointer; text-decoration: none; display: inline-flex; align-items: center
}
button:hover, .button:hover { border-color: var(--text) }
button.main, .button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.danger { color: var(--bad); border-color: var(--bad) }
button.plain { border: 0; background: none; padding: 0; min-height: 1.5rem; color: var(--link); text-decoration: underline; font-weight: 400 }
button:disabled { opacity: .6; cursor: default }
.tabs { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; border-bottom: 1px solid var(--line); margin: 0 0 1.5rem; padding: 0; list-style: none }
.tabs a { display: inline-block; padding: .4rem 0; color: var(--faint); text-decoration: none; border-bottom: 2px solid transparent }
.tabs a[aria-current] { color: inherit; border-bottom-color: var(--accent) }
.runs { list-style: none; margin: .5rem 0; padding: 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card) }
.runs li { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr) auto 5.5rem; gap: .25rem .75rem; align-items: baseline; padding: .55rem .9rem; border-bottom: 1px solid var(--line) }
.runs li:last-child { border-bottom: 0 } .runs li:hover { background: var(--raised) }
.runs .what a { color: inherit; font-weight: 500; text-decoration: none } .runs .what a:hover { text-decoration: underline }
.runs .what p { margin: 0; font-size: .875rem } .runs .cost, .runs .when { font-size: .875rem; font-variant-numeric: tabular-nums } .runs .when { text-align: right }
.state { display: inline-flex; align-items: center; justify-content: center; width: 1.35rem; height: 1.35rem; border-radius: 50%; font-size: .75rem; font-weight: 700; position: relative }
.state.good { color: var(--good); background: var(--good-back) } .state.warn { color: var(--warn); background: var(--warn-back) }
.state.bad { color: var(--bad); background: var(--bad-back) } .state.live { color: var(--link); background: var(--accent-back) }
@media (max-width: 40rem) { .runs li { grid-template-columns: 1.5rem minmax(0, 1fr) auto } .runs .cost { grid-column: 2; grid-row: 2 } }
details > summary { cursor: pointer }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
@media print { .top, .actions { display: none } }
`;
