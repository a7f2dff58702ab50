// The style of a run's steps: its list, its timeline, its findings and its reply as data.

export const stepsStyle = `
.said > :first-child { margin-top: 0 } .said > :last-child { margin-bottom: 0 }
.said.open { white-space: pre-wrap } .said blockquote { border-left: 3px solid var(--line); margin-left: 0; padding-left: .9rem }
.run .label { color: var(--faint); font-size: .875rem; margin: .5rem 0 0 }
.run .chip { display: inline-block; margin: 0; border: 1px solid var(--edge); border-radius: 4px; padding: 0 .4rem; font-size: .8125rem; line-height: 1.5; color: var(--faint); white-space: nowrap }
.run .chip.bad, .run .chip.error { background: var(--bad); border-color: var(--bad); color: var(--back); font-weight: 600 }
.run .chip.warning { border: 2px solid var(--warn); color: var(--warn); font-weight: 600 }
.run .chip.notice { border-color: var(--link); border-radius: 1rem; color: var(--link) }
.run .chip.check { border-radius: 1rem; margin-left: .35rem }
.entries, .calls { list-style: none; margin: .5rem 0; padding: 0 }
.entries > li { border-top: 1px solid var(--line); padding: .5rem 0; content-visibility: auto; contain-intrinsic-size: auto 2.8rem }
.entries > .step { margin-top: 1rem }
.entry { display: flex; gap: .5rem; align-items: flex-start }
.entry > .body { flex: 1; min-width: 0 } .entry > .body > p { margin: 0 }
.entry:target, .entry.marked { background: var(--raised); box-shadow: -4px 0 var(--accent) }
.entry .fork { font-size: .875rem; white-space: nowrap }
.entry .anchor { color: var(--faint); text-decoration: none; min-width: 1.5rem; min-height: 1.5rem; text-align: center }
.calls { margin: 0 } .calls > li { padding: .15rem 0 }
.turn > .message + .calls { margin-top: .25rem; border-left: 2px solid var(--line); padding-left: .75rem }
.reads .calls { border-left: 2px solid var(--line); padding-left: .75rem; margin: .25rem 0 }
.entry summary { overflow-wrap: anywhere } .entry .time, .facts { color: var(--faint) }
.entry .failed > summary .mark, .entry .failed > summary .state { color: var(--bad) }
.entry .done > summary .mark { color: var(--good) } .entry .running > summary .mark { color: var(--warn) }
.thought { color: var(--faint); margin-bottom: .25rem } .thought .said { border-left: 2px solid var(--line); padding-left: .75rem; margin: .25rem 0 }
.waterfall { margin: .75rem 0 } .waterfall ol { list-style: none; margin: 0; padding: 0 }
.waterfall li, .waterfall .axis { display: grid; grid-template-columns: minmax(8rem, 18rem) 1fr 6rem; gap: .75rem; align-items: center; padding: .1rem 0; font-size: .875rem }
.waterfall .ticks { grid-column: 2; display: flex; justify-content: space-between; color: var(--faint); border-bottom: 1px solid var(--line) }
.waterfall a { color: inherit; text-decoration: none; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-height: 1.5rem; line-height: 1.5rem } .waterfall .time { color: var(--faint); text-align: right }
.waterfall a:hover { text-decoration: underline } .waterfall .part a { padding-left: 1rem } .waterfall .turn a, .waterfall .step a { font-weight: 600 }
.waterfall svg { width: 100%; height: .75rem; background: var(--raised) } .waterfall rect { fill: var(--accent) }
.waterfall .step rect, .waterfall .turn rect { fill: var(--edge) } .waterfall .failed rect { fill: var(--bad) } .waterfall .failed a { color: var(--bad) }
.waterfall li.marked, .waterfall li:focus-within { background: var(--raised); box-shadow: -4px 0 var(--accent) }
@media (max-width: 32rem) {
  .waterfall li { grid-template-columns: 1fr 5rem; gap: 0 .75rem; padding: .1rem 0 .5rem } .waterfall svg { grid-column: 1 / -1; grid-row: 2 }
  .waterfall .axis { grid-template-columns: 1fr } .waterfall .ticks { grid-column: 1 } .ticks > :nth-child(even) { display: none }
  .turn > .message + .calls, .reads .calls { padding-left: .5rem }
}
.finding { border: 1px solid var(--line); border-left-width: 4px; border-radius: 6px; padding: .4rem .75rem; margin: .5rem 0 }
.finding.error { color: inherit; border-left-color: var(--bad) } .finding.warning { border-left: 4px double var(--warn) } .finding.notice { border-left: 4px dotted var(--link) }
.data { margin: 0 } .data dd > ul { margin: 0; padding-left: 1.25rem } .data .data { border-left: 2px solid var(--line); padding-left: .75rem }
`;
