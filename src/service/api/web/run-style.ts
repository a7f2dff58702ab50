// The style of a run's page, beside that of all pages.

export const runStyle = `
.run .request { font-size: 1.0625rem; margin: .75rem 0 .25rem } .run .request + p { margin: 0 }
.run .crumbs { margin: 0 } .run .facts { margin: 0 } .run h1 { margin-top: .25rem }
.run[data-tone=good] h1 { border-left: 4px solid var(--good); padding-left: .6rem }
.run[data-tone=warn] h1, .run[data-tone=live] h1 { border-left: 4px solid var(--warn); padding-left: .6rem }
.run[data-tone=bad] h1 { border-left: 4px solid var(--bad); padding-left: .6rem }
.run pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow-y: auto; margin: .35rem 0 }
.run .heading { margin: 1rem 0 .25rem }
.run .actions { margin: .75rem 0 } .run .actions[hidden] { display: none }
.tools { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; margin: .75rem 0 } .tools[hidden] { display: none }
.tools label { margin: 0 } .tools [aria-pressed=true] { border-color: var(--accent); color: var(--link) }
.jump { position: fixed; right: 1.25rem; bottom: 1.25rem; background: var(--accent); color: var(--on-accent); border-color: var(--accent) } .jump[hidden] { display: none }
.plan { list-style: none; padding: 0 } .plan .completed { color: var(--faint) }
`;
