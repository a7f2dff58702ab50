// The style of the pages of usage, of the ledger and of operators, beside that of all pages.

export const usageStyle = `
.filters { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end } .filters label { margin: 0 } .filters .actions { margin: 0 } .filters + .runs, .filters + .empty, .filters + .scroll { margin-top: 1rem } .filters select, .filters input { width: auto; min-height: 2.25rem; max-width: 16rem; display: block } .number + td { padding-left: .75rem }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem; margin: 1rem 0 }
.figures > div { border: 1px solid var(--line); border-radius: 6px; padding: .6rem .9rem }
.figures dt { font-size: .875rem } .figures dd { font-size: 1.5rem; line-height: 1.3; font-variant-numeric: tabular-nums }
.figures dd + dd { font-size: .875rem; color: var(--faint) } @media (max-width: 32rem) { .figures { grid-template-columns: 1fr 1fr } .figures dd { margin: 0 } }
.chart { margin: .5rem 0 } .chart p { margin: 0; font-size: .875rem } .chart .ends { display: flex; justify-content: space-between }
.chart .stacked { display: block; width: 100%; height: 9rem; border-bottom: 1px solid var(--edge) }
.chart .column { fill: transparent } .chart g:hover .column { fill: var(--raised) }
.chart .solid { fill: var(--good) } .cost .solid, .bars .solid { fill: var(--accent) }
.chart .ground { fill: var(--back) } .chart .ink { stroke: none }
.chart pattern.hatched .ink { stroke: var(--bad); stroke-width: 1.5 } .chart pattern.dotted .ink { fill: var(--edge) }
.chart rect.hatched { stroke: var(--bad) } .chart rect.dotted { stroke: var(--edge) } .chart rect.hatched, .chart rect.dotted { stroke-width: 1; vector-effect: non-scaling-stroke }
.chart .limit { fill: none; stroke: var(--warn); stroke-width: 2; stroke-dasharray: 6 4; vector-effect: non-scaling-stroke }
.tokens .solid { fill: var(--accent) } .tokens pattern.hatched .ink, .tokens rect.hatched { stroke: var(--accent) }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0 0 .5rem; padding: 0; font-size: .875rem }
.legend svg { width: .9rem; height: .9rem; vertical-align: -.1rem }
.bars { list-style: none; margin: .5rem 0; padding: 0 }
.bars li { display: grid; grid-template-columns: minmax(8rem, 18rem) 1fr minmax(7rem, max-content); gap: .75rem; align-items: center; padding: .25rem 0 }
.bars svg { width: 100%; height: .75rem; background: var(--raised) } .bars .value { text-align: right; font-variant-numeric: tabular-nums }
@media (max-width: 32rem) { .bars li { grid-template-columns: 1fr max-content } .bars svg { grid-column: 1 / -1; grid-row: 2 } .bars li { gap: .1rem .75rem; padding: .4rem 0 } }
.usage table th, .usage table .number, .usage table time, .usage table a { white-space: nowrap }
.usage tbody th { color: inherit; font-size: 1rem; font-weight: 400; white-space: normal; min-width: 8rem } .usage td { overflow-wrap: normal }
.usage details { margin: .25rem 0 } .usage details p { margin: .5rem 0 }
`;
