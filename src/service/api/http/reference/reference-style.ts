// The style of the reference, in light and in dark. Its hash is in the page's policy: no other style applies.

import { createHash } from "node:crypto";

export const referenceStyle = `
:root {
  color-scheme: light dark;
  --back: #ffffff; --raised: #f6f8fa; --text: #1f2328; --faint: #59636e; --line: #d1d9e0; --link: #0758b5;
  --get: #0a6640; --post: #0758b5; --change: #8a4600; --delete: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --raised: #161b22; --text: #e6edf3; --faint: #9198a1; --line: #30363d; --link: #6cb2ff;
    --get: #4ac080; --post: #6cb2ff; --change: #e3a04f; --delete: #ff8a80;
  }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.45 system-ui, sans-serif }
a { color: var(--link); text-decoration: none }
a:hover, a:focus-visible, main a { text-decoration: underline }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto }
nav { padding: 1rem 1.25rem; font-size: .875rem; max-height: 40vh; overflow-y: auto; border-bottom: 1px solid var(--line) }
nav h2 { font-size: .75rem; letter-spacing: .05em; text-transform: uppercase; color: var(--faint); margin: 1.25rem 0 .25rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav li { padding: .15rem 0; overflow-wrap: anywhere }
nav a { color: inherit }
nav form { display: flex; gap: .5rem }
nav .pages a { display: block; padding: .15rem 0 }
nav [aria-current] { font-weight: 700 }
input, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--faint); border-radius: 6px; padding: .3rem .6rem }
input { width: 100%; min-width: 0 }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
main { padding: 1rem 1.25rem 6rem; min-width: 0; max-width: 66rem }
h1 { margin: .5rem 0 0 }
main > h2 { margin: 2.5rem 0 0; padding-bottom: .25rem; border-bottom: 1px solid var(--line) }
article { margin-top: 1.75rem }
article > h3 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere }
h4 { margin: 1rem 0 .25rem; font-size: .875rem }
details { margin-top: .5rem }
summary { cursor: pointer; font-size: .875rem }
details pre { margin: .35rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere }
.summary { margin: .35rem 0 0; font-weight: 600 }
.faint { color: var(--faint) }
.method { font-weight: 700; text-transform: uppercase }
.get { color: var(--get) } .post { color: var(--post) } .put, .patch { color: var(--change) } .delete { color: var(--delete) }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
th, td { text-align: left; vertical-align: top; padding: .2rem .75rem .2rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--faint); font-weight: 500; font-size: .8rem }
td:first-child { white-space: nowrap }
.needed { color: var(--change); font-size: .8rem }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 19rem minmax(0, 1fr) }
  nav { position: sticky; top: 0; height: 100vh; max-height: none; border: 0; border-right: 1px solid var(--line) }
  main { padding: 1rem 3rem 6rem }
}
@media (max-width: 40rem) {
  thead { display: none }
  tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line) }
  td, td:first-child { display: block; border: 0; padding: .1rem 0; white-space: normal; overflow-wrap: anywhere }
}
@media print { nav { display: none } }
`;

/** The content security policy of the reference: its own style, its own search, and nothing else. */
export const referencePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(referenceStyle).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
