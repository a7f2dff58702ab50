// The style of a run's page, beside that of all pages.

export const runStyle = `
.run .crumbs { margin: 0 } .run .facts { margin: 0 } .run h1 { margin-top: .25rem }
.run[data-tone=good] h1 { border-left: 4px solid var(--good); padding-left: .6rem }
.run[data-tone=warn] h1, .run[data-tone=live] h1 { border-left: 4px solid var(--warn); padding-left: .6rem }
.run[data-tone=bad] h1 { border-left: 4px solid var(--bad); padding-left: .6rem }
.run pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow-y: auto; margin: .35rem 0 }
.said > :first-child { margin-top: 0 } .said > :last-child { margin-bottom: 0 }
.said.open { white-space: pre-wrap } .said blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: .9rem }
.entries { list-style: none; margin: .5rem 0; padding: 0 }
.entry { display: flex; gap: .5rem; align-items: flex-start; border-top: 1px solid var(--line); padding: .5rem 0; content-visibility: auto; contain-intrinsic-size: auto 2.8rem }
.entry > :first-child { flex: 1; min-width: 0; margin: 0 }
.entry:target { background: var(--raised) }
.entry .fork { font-size: .875rem; white-space: nowrap }
.entry .anchor { color: var(--faint); text-decoration: none; min-width: 1.5rem; min-height: 1.5rem; text-align: center }
.entry.step { margin-top: 1rem }
.entry summary { overflow-wrap: anywhere } .entry .time, .facts { color: var(--faint) }
.entry .failed .mark, .entry .failed .state { color: var(--bad) } .entry .done .mark { color: var(--good) } .entry .running .mark { color: var(--warn) }
.run .label { color: var(--faint); font-size: .875rem; margin: .5rem 0 0 }
.run .heading { margin: 1rem 0 .25rem }
.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .75rem 0 } .tools[hidden] { display: none }
.tools label { margin: 0 } .tools [aria-pressed=true] { border-color: var(--accent); color: var(--link) }
.jump { position: fixed; right: 1.25rem; bottom: 1.25rem; background: var(--accent); color: var(--on-accent); border-color: var(--accent) } .jump[hidden] { display: none }
.waterfall ol { list-style: none; margin: .5rem 0; padding: 0 }
.waterfall li { display: grid; grid-template-columns: minmax(8rem, 18rem) 1fr 6rem; gap: .75rem; align-items: center; padding: .15rem 0; font-size: .875rem }
.waterfall a { overflow: hidden; text-overflow: ellipsis; white-space: nowrap } .waterfall .time { color: var(--faint); text-align: right }
.waterfall svg { width: 100%; height: .75rem; background: var(--raised) } .waterfall rect { fill: var(--accent) }
.waterfall .step rect { fill: var(--edge) } .waterfall .failed rect { fill: var(--bad) }
@media (max-width: 32rem) { .waterfall li { grid-template-columns: 1fr 5rem } .waterfall svg { grid-column: 1 / -1; grid-row: 2 } }
.file { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .75rem; margin: .5rem 0 }
.file .diff { padding: .5rem 0; border: 0 } .diff span { display: block; padding: 0 .5rem }
.added { color: var(--good) } .removed { color: var(--bad) } .diff .hunk, .diff .note { color: var(--faint) }
.finding { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .75rem; margin: .5rem 0 }
.finding .error { color: var(--bad) } .finding .warning { color: var(--warn) } .finding .notice { color: var(--link) }
.plan { list-style: none; padding: 0 } .plan .completed { color: var(--faint) }
`;
